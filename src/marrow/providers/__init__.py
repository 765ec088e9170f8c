"""Outside services behind protocols."""
