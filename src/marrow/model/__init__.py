"""The values of Marrow, pure and frozen. Nothing here reads or writes anything."""
