"""Figures 4.6 and 4.7 of the thesis; metrics and tables are not drawn here."""
