"""Who was where when: traces and positions, regions, time steps, models of how people move."""
