"""What a person gets instead of a traceback."""


class InputError(ValueError):
    """The input can't be used; the message is one sentence saying why and what to do."""
