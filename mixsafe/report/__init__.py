"""Results for people: what is worth showing, as pictures and as a page that opens anywhere."""
