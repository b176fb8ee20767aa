"""Two checkouts compared, edit by edit: python -m evaluation.compare_checkouts"""
