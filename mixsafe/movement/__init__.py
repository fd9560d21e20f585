"""How likely it is that one track goes on as another: what a follower who bets knows."""
