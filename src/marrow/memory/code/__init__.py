"""What the code is: the map of a checkout, kept up to date, and the questions that are asked of it."""
