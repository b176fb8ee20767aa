"""The work on a project in the editor's process: listening, takes, voices, the download.

The server imports `worker_tasks` alone, which imports the rest, and torch, in that process.
"""
