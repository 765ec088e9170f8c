"""What is done in the background: draining the inbox, making memories of traces, embedding, keeping to time limits."""
