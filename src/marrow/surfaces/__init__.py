"""Surfaces: each only translates in and out."""
