"""What reading can fail with. Every message begins with the path."""

import pathlib


class ErgodeError(Exception):
    """`path`: what could not be read."""

    def __init__(self, path, message):
        super().__init__(f"{path}: {message}")
        self.path = pathlib.Path(path)


class MissingError(ErgodeError):
    """A file or a part of it is not there."""


class DamagedError(ErgodeError):
    """A file is there but cannot be read, or lacks what every file of its kind has."""
