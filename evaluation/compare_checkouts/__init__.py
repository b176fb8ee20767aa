"""Two checkouts compared, edit by edit: python -m evaluation.compare_checkouts

For changes that should change nothing; it measures no quality.
"""
