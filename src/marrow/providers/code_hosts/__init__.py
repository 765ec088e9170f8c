"""Code hosts: GitHub and GitLab, read with a token. `connect.py` makes a client; the values are in `host.py`."""
