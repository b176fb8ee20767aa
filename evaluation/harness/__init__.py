"""The harness of all measurements: each is declared, and this makes it a command.

`measurement` runs one (options, progress, failures, resuming, report), `declared_tables` makes its
figures and prints them, `estimates` has means with intervals, `report_files` what is written,
`processes` programs whose cost is measured. No measure of speech is here.
"""
