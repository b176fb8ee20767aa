"""The script editor's server side: projects in folders, the work on them, and its interface."""
