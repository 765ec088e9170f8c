"""The repository at hand. Each part is imported by name: `identity` is light, `history` and `files` start git, and a
worker that only parses needs `plain_file` alone."""
