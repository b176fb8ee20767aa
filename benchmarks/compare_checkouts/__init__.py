"""Two checkouts compared, edit by edit: python -m benchmarks.compare_checkouts"""
