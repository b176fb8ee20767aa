"""The documents: their links lead somewhere, and their commands and code run."""
