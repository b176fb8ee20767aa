"""Measures of the aligner, the recogniser and what is found in a recording that nobody wrote."""
