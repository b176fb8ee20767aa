"""What `a3t edit` needs beside the Editor: its options, its questions, and lists of edits.

What a list or an edit is made of is a3t.projects'.
"""
