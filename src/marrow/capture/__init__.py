"""What the hosts' hooks send, made one kind of line; the inbox that takes it; the client side of the daemon's line."""
