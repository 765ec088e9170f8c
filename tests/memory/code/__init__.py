"""Tests of the kept code map."""
