"""Two checkouts compared, edit by edit, for changes that should change nothing: `two_checkouts`."""
