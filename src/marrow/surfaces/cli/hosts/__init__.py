"""The hosts that Marrow plugs into: what is written into their files, how it is taken out again, and whether it works.

`table` says what each host wants, `changes` what has to be written for that, `receipt` what was written; `apply` writes
it, and `checks` looks whether it still works. `json_edit` and `toml_block` change one entry of a file, and no other.
"""
