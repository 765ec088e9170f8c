"""Readers: what is there already, as drafts. They never write."""
