"""The report as one HTML page that loads nothing: pictures are data URIs, and there is no script."""

import base64
import html
import io
import math

import numpy

from ergode.config import dump_config
from ergode.errors import ErgodeError
from ergode.plot import pictures
from ergode.report.checks import checks
from ergode.report.judge import BAD, GOOD, LOOK
from ergode.sweep import PackedRun, Sweep

# The page itself forbids all but its inline style and images.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; margin-bottom: 0; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid #ccc; }
.sub { color: #555; margin-top: 0; } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; } th, td { text-align: left; padding: 0.2rem 0.9rem 0.2rem 0; vertical-align: top; }
tr + tr { border-top: 1px solid #e5e5e5; } .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td:first-child, .wide td { white-space: nowrap; } td:last-child { overflow-wrap: anywhere; }
pre { background: #f5f5f5; padding: 0.8rem; overflow-x: auto; font-size: 0.8rem; line-height: 1.35; }
figure { margin: 1.2rem 0; } figure img { max-width: 100%; height: auto; } figcaption { color: #555; font-size: 0.9rem; }
.verdict { font-weight: 600; white-space: nowrap; } .good { color: #006b4f; } .look { color: #9a4a00; } .bad { color: #a00020; }
@media print { body { margin: 0; max-width: none; } figure, tr { break-inside: avoid; } }
"""
CLASSES = {GOOD: ("good", "✓ "), LOOK: ("look", "! "), BAD: ("bad", "✗ ")}
AT_MOST = 500  # rows of the tables of options and members


def _text(value):
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return str(value)


def _table(rows, head=()):
    """With a head it is wide: it scrolls and does not break its lines. Columns with a number in them are set to the right."""
    kinds = ["number" if any(isinstance(value, (int, float)) for value in column) else "text" for column in zip(*rows)]

    def line(values, tag):
        return (
            "<tr>"
            + "".join(f"<{tag} class={kind}>{html.escape(_text(v))}</{tag}>" for v, kind in zip(values, kinds))
            + "</tr>"
        )

    lines = ([line(head, "th")] if head else []) + [line(row, "td") for row in rows]
    table = "<table>\n" + "\n".join(lines) + "\n</table>"
    return f"<div class=wide>{table}</div>" if head else table


def _section(title, body):
    return f"<section>\n<h2>{html.escape(title)}</h2>\n{body}\n</section>"


def _checks(run):
    rows = []
    for check in checks(run):
        kind, mark = CLASSES.get(check.verdict, ("", ""))
        rows.append(
            f"<tr><td>{html.escape(check.name)}</td><td class='verdict {kind}'>{mark}{html.escape(check.verdict)}</td>"
            f"<td>{html.escape(check.text)}</td></tr>"
        )
    return "<table class=checks>\n" + "\n".join(rows) + "\n</table>"


def _headline(summary):
    figures = [
        (name.replace("_", " "), item.get("value"), _units(item.get("units", "")))
        for name, item in summary.get("results", {}).items()
    ]
    return _table(figures)


def _units(units):
    return "" if units == "1" else units


def _of_the_run(summary):
    provenance = summary.get("provenance", {})
    rows = [
        (
            "device",
            f"{provenance.get('device', '?')} ({provenance.get('backend', '?')}, {provenance.get('isa', '')}), "
            f"threads: {provenance.get('threads', '?')}",
        ),
        ("started", provenance.get("started", "?")),
        (
            "wall time",
            f"{summary.get('wall_seconds_total', math.nan):.3f} s, resumed {summary.get('resumes', 0)} times",
        ),
    ]
    rows += [(f"time in {phase}", f"{seconds:.3f} s") for phase, seconds in summary.get("seconds_by_phase", {}).items()]
    shown = {"device", "backend", "isa", "threads", "started"}
    rows += [(name.replace("_", " "), value) for name, value in provenance.items() if name not in shown]
    return _table([(name, str(value)) for name, value in rows])


def _book(results):
    columns = [
        name
        for name in (
            "product",
            "type",
            "underlyings",
            "strike",
            "maturity",
            "price",
            "standard_error",
            "bias",
            "delta",
            "gamma",
            "vega",
            "implied_volatility",
            "reference_value",
            "z_score",
            "paths",
            "status",
        )
        if name in results
    ]
    columns = [
        name for name in columns if results[name].dtype.kind != "f" or numpy.isfinite(results[name].values).any()
    ]
    rows = [
        [str(id)] + [results[name].values[k].item() for name in columns]
        for k, id in enumerate(results["id"].values[:AT_MOST])
    ]
    return _table(rows, ["id"] + [name.replace("_", " ") for name in columns]) + _left_out(results.sizes["id"])


def _left_out(count):
    return f"<p>{AT_MOST} of {count} rows.</p>" if count > AT_MOST else ""


def _members(sweep):
    names = [*sweep.parameters, *sweep.results]
    columns = [*sweep.parameters.values(), *sweep.results.values()]
    rows = [
        [str(sweep.index["member"][k]), str(sweep.index["status"][k])] + [column[k].item() for column in columns]
        for k in range(min(len(sweep.members), AT_MOST))
    ]
    return _table(rows, ["member", "status", *names]) + _left_out(len(sweep.members))


def _pictures(run):
    figures = []
    for name, figure, caption in pictures(run):
        image = io.BytesIO()
        figure.savefig(image, format="png", dpi=150)
        data = base64.b64encode(image.getvalue()).decode("ascii")
        words = html.escape(name.replace("_", " "))
        figures.append(
            f"<figure><img alt='{words}' src='data:image/png;base64,{data}'><figcaption>{html.escape(caption)}</figcaption></figure>"
        )
    return "\n".join(figures) or "<p>The run has no data for a picture.</p>"


def _config(run):
    if isinstance(run, PackedRun):
        return dump_config(run.config)
    try:
        return (run.directory / "config.used.yaml").read_text(encoding="utf-8", errors="replace")
    except OSError as problem:
        return str(problem)


def _run_sections(run):
    try:
        summary = run.summary
    except ErgodeError:
        summary = {}
    sections = [_section("Checks", _checks(run)), _section("Summary", _headline(summary))]
    if run.kind == "option_pricing" and run.has("results"):
        sections.append(_section("Options", _book(run.results)))
    return sections, [_section("Where and when", _of_the_run(summary))]


def page(run):
    """The HTML text of the report on a run or sweep."""
    if isinstance(run, Sweep):
        kind = f"sweep of {len(run.members)} runs, {run.config.get('simulation', '')}"
        before, after = [_section("Checks", _checks(run))], [_section("Members", _members(run))]
    else:
        kind = run.kind
        before, after = _run_sections(run)
    body = [
        *before,
        _section("Pictures", _pictures(run)),
        *after,
        _section("Config", f"<pre>{html.escape(_config(run))}</pre>"),
    ]
    title = html.escape(run.name)
    return (
        f'<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta http-equiv=Content-Security-Policy content="{POLICY}">\n'
        "<meta name=viewport content='width=device-width'>\n<link rel=icon href='data:,'>\n"
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"<p class=sub>Ergode, {html.escape(kind.replace('_', ' '))}</p>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )
