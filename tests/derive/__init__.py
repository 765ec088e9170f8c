"""Derivations."""
