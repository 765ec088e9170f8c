"""Tests of what is made of traces."""
