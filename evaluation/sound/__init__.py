"""Measures of edits as they sound: joints, backgrounds, candidates, formats."""
