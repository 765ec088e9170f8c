"""Journeys: the real host programs, with Marrow in them, and a model that says what the test wrote down."""
