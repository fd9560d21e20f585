"""What all of a contest rests on: rules, scores, reference traces, the contracts of its parts."""
