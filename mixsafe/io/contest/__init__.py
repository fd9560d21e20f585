"""The files of PWS Cup 2019, read strictly and written as the organizers' programs do it."""
