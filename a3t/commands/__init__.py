"""The command line: one file a command, each called as the shell has it (`a3t say-as`: `say_as`).

A command reads its options and calls the Editor and a3t.projects; nothing else calls it. What only
`a3t edit` needs is in `editing`.
"""
