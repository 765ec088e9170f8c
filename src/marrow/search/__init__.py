"""Finding: candidates from words and vectors, fused, weighed by signals, and able to say why."""
