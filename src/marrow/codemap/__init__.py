"""Bytes to symbols and calls. Pure: it is given texts and gives values. The parsers are loaded when first used."""
