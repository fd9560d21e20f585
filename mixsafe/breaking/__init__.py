"""How many more sightings it takes until a user is not protected any more, and which."""
