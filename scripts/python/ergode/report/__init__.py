"""A report on a run: `python -m ergode.report RUN` writes it, `page(run)` makes its HTML."""

from ergode.report.checks import checks
from ergode.report.judge import Check
from ergode.report.page import page

__all__ = ["Check", "checks", "page"]
