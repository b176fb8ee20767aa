"""A server for other programs: speech, edits and alignments over HTTP (`a3t serve`)."""
