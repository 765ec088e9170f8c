"""The git tier: what needs more than one question to git. The commits' own index, searched by words and meaning."""
