"""A report on a run: `python -m ergode.report RUN` writes it, `page(run)` makes its HTML."""

from ergode.report.checks import Check, checks
from ergode.report.page import page

__all__ = ["Check", "checks", "page"]
