"""A speaker's own ways in a recording: pronunciations, pauses, rate, and turns.

They are measured for a plan; learning a voice is a3t.voice's.
"""
