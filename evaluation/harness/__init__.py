"""Shared by the programs that measure: their options and their files; no measure is here."""
