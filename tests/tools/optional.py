"""Modules that a test can do without."""

import importlib
import sys


def need(module):
    """The module, or the end of the script with the status that makes the test skip."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        print(f"{module} is not installed: {error}")
        sys.exit(77)
