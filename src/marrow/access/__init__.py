"""Who may see what: views, and the store as one who is held to a view sees it."""
