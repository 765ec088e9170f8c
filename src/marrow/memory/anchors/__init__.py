"""Anchors: what pins a memory to the code. Making them, with evidence; verifying them; finding what went elsewhere."""
