"""Reading recordings: containers, formats, and a recording checked once and read by windows."""
