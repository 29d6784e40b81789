"""Pictures of a run of option pricing."""

import numpy
from matplotlib.ticker import FuncFormatter

from ergode.errors import ErgodeError
from ergode.plot import style
from ergode.results import histogram

AT_MOST = 9  # panels; a book may have hundreds of options
GREEKS = ("delta", "gamma", "vega", "theta", "rho")
EUROPEAN = "european"


def pictures(run):
    """(name, function, what it shows), of those that the run has the data for."""
    found = []
    if not run.has("results"):
        return found
    results = run.results
    if results.sizes["id"] == 0:
        return found
    if "convergence_paths" in results and results.sizes["point"] > 1:
        found.append(
            ("convergence", convergence, "Price against paths, with its confidence interval; dashed: closed form.")
        )
    if "distribution_counts" in results:
        found.append(("distribution", distribution, "Histogram of discounted payoffs; dashed: the price."))
    if numpy.isfinite(results["z_score"].values).any():
        found.append(("z_scores", z_scores, "Price less closed form in standard errors."))
    if smiles(results):
        found.append(("smile", smile, "Implied volatility against strike, with its standard error."))
    if greek_curves(results):
        found.append(("greeks", greeks, "Greeks against strike, with their standard errors."))
    if _has_scenarios(run):
        found.append(("scenarios", scenarios, "Change of the book's value when the market moves."))
    if "exercise_time" in results and len(_boundaries(results)):
        found.append(("exercise_boundary", exercise_boundary, "Spot at which the fitted rule exercises, against time."))
    if run.paths:
        found.append(("paths", paths, "The saved paths over their starting value."))
    return found


def _chosen(results, ids):
    """At most AT_MOST ids, and a note where some are left out."""
    ids = list(ids)
    return ids[:AT_MOST], f"{AT_MOST} of {len(ids)} options" if len(ids) > AT_MOST else ""


def _small_multiples(results, ids, draw, mark, xlabel, ylabel):
    shown, note = _chosen(results, ids)
    figure, axes = style.panels(len(shown), size=(2.9, 2.3) if len(shown) > 1 else style.SINGLE)
    for axis, id in zip(axes, shown):
        draw(axis, results.sel(id=id), id)
        axis.set_title(style.plain(id))
    if any(line.get_label() == mark for line in axes[0].lines):
        axes[0].legend(fontsize=8, handlelength=1.4)
    figure.supxlabel(xlabel, fontsize=10)
    figure.supylabel(ylabel, fontsize=10)
    if note:
        figure.suptitle(note, fontsize=10)
    return figure


def _with_history(results):
    return [
        id for id in results["id"].values if numpy.isfinite(results.sel(id=id)["convergence_price"].values).sum() > 1
    ]


def convergence(run):
    results = run.results

    def draw(axis, row, _):
        paths, price = row["convergence_paths"].values, row["convergence_price"].values
        # The half-width of the final interval over its standard error: Student's quantile under Sobol points.
        quantile = (float(row["confidence_high"]) - float(row["confidence_low"])) / (2 * float(row["standard_error"]))
        half = quantile * row["convergence_standard_error"].values
        axis.fill_between(paths, price - half, price + half, color=style.COLOURS[0], alpha=style.BAND, linewidth=0)
        axis.semilogx(paths, price, "o-", color=style.COLOURS[0])
        if numpy.isfinite(row["reference_value"]):
            axis.axhline(
                float(row["reference_value"]),
                color=style.COLOURS[1],
                linestyle="--",
                linewidth=1.1,
                label="closed form",
            )
        known = paths[numpy.isfinite(price)]
        axis.set_xticks(known[[0, -1]] if len(known) < 4 else known[[0, len(known) // 2, -1]])
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: style.count(value)))
        axis.minorticks_off()

    level = float(results["confidence"][0])
    return _small_multiples(
        results,
        _with_history(results) or results["id"].values[:1],
        draw,
        "closed form",
        "paths",
        f"price and its {100 * level:g} % confidence interval [currency]",
    )


def distribution(run):
    results = run.results

    def draw(axis, row, id):
        edges, counts = histogram(results, id)
        width = edges[1] - edges[0]
        if width > 0:
            axis.stairs(counts / (counts.sum() * width), edges, fill=True, color=style.COLOURS[0], alpha=0.75)
            axis.set_yscale("log")
        axis.axvline(float(row["price"]), color=style.COLOURS[1], linestyle="--", linewidth=1.1, label="price")

    ids = [id for id in results["id"].values if results.sel(id=id)["distribution_counts"].values.sum() > 0]
    return _small_multiples(results, ids, draw, "price", "discounted payoff [currency]", r"density [currency$^{-1}$]")


def z_scores(run):
    results = run.results
    z = results["z_score"].values
    known = numpy.flatnonzero(numpy.isfinite(z))
    figure, axis = style.single((5.2, 1.4 + 0.24 * min(len(known), 40)) if len(known) <= 40 else style.SINGLE)
    axis.axvspan(-2, 2, color=style.COLOURS[2], alpha=style.BAND, linewidth=0)
    if len(known) <= 40:
        places = numpy.arange(len(known))[::-1]
        axis.plot(z[known], places, "o", color=style.COLOURS[0])
        axis.set_yticks(places, [style.plain(id) for id in results["id"].values[known]])
        axis.set_xlim(min(-4.5, z[known].min() - 0.5), max(4.5, z[known].max() + 0.5))
    else:
        edges = numpy.arange(-5, 5.01, 0.5)
        axis.hist(numpy.clip(z[known], -4.99, 4.99), edges, density=True, color=style.COLOURS[0], alpha=0.75)
        x = numpy.linspace(-5, 5, 201)
        axis.plot(x, numpy.exp(-x * x / 2) / numpy.sqrt(2 * numpy.pi), color=style.COLOURS[1], label="standard normal")
        axis.set_ylabel("density")
        axis.legend()
    axis.set_xlabel("(price - closed form) / standard error; shaded: within 2")
    return figure


def smiles(results):
    """{(underlying, maturity): ids in the order of strikes}: European options with at least three strikes."""
    has = numpy.isfinite(results["implied_volatility"].values)
    return {key: ids for key, ids in _by_strike(results, has & (results["product"].values == EUROPEAN), ()).items()}


def _by_strike(results, mask, further):
    groups = {}
    for k in numpy.flatnonzero(mask & numpy.isfinite(results["strike"].values)):
        key = tuple(
            [str(results["underlyings"].values[k]), float(results["maturity"].values[k])]
            + [str(results[name].values[k]) for name in further]
        )
        groups.setdefault(key, []).append(k)
    strikes = results["strike"].values
    chains = {
        key: [results["id"].values[k] for k in sorted(places, key=lambda k: strikes[k])]
        for key, places in groups.items()
    }
    return {key: ids for key, ids in chains.items() if len({float(results["strike"].sel(id=id)) for id in ids}) >= 3}


def smile(run):
    results = run.results
    figure, axis = style.single()
    for k, ((underlying, maturity), ids) in enumerate(smiles(results).items()):
        rows = results.sel(id=ids)
        axis.errorbar(
            rows["strike"],
            100 * rows["implied_volatility"],
            100 * rows["implied_volatility_standard_error"],
            fmt=style.MARKERS[k % 7] + "-",
            capsize=2.5,
            color=style.COLOURS[k % 7],
            label=style.plain(f"{underlying}, {style.years(maturity)}"),
        )
    axis.set(xlabel="strike [currency]", ylabel=r"implied volatility [% year$^{-1/2}$]")
    axis.legend()
    return figure


def greek_curves(results):
    """[(greek, {(underlying, maturity, product, type): ids})], of chains with at least three strikes."""
    found = []
    for greek in GREEKS:
        if greek in results:
            chains = _by_strike(results, numpy.isfinite(results[greek].values), ("product", "type"))
            if chains:
                found.append((greek, chains))
    return found


def greeks(run):
    results = run.results
    curves = greek_curves(results)
    keys = list(dict.fromkeys(key for _, chains in curves for key in chains))
    figure, axes = style.panels(len(curves), size=(2.9, 2.4) if len(curves) > 1 else style.SINGLE)
    for axis, (greek, chains) in zip(axes, curves):
        for key, ids in chains.items():
            rows, k = results.sel(id=ids), keys.index(key)
            underlying, maturity, product, kind = key
            axis.errorbar(
                rows["strike"],
                rows[greek],
                rows[f"{greek}_standard_error"],
                fmt=style.MARKERS[k % 7] + "-",
                capsize=2.5,
                color=style.COLOURS[k % 7],
                label=style.plain(f"{underlying} {product} {kind}, {style.years(maturity)}"),
            )
        axis.set_ylabel(f"{greek} [{results[greek].attrs['units']}]", fontsize=9)
    figure.supxlabel("strike [currency]", fontsize=10)
    handles, texts = axes[0].get_legend_handles_labels()
    figure.suptitle(texts[0], fontsize=10) if len(keys) == 1 else axes[0].legend(handles, texts)
    return figure


def _has_scenarios(run):
    try:
        return run.scenarios["price"].size > run.scenarios.sizes["id"]
    except ErgodeError:
        return False


def book_changes(run):
    """Change of the book's value (spot, volatility, rate): sum of quantity times price, less the unmoved market's."""
    cube = run.scenarios["price"]
    book = (cube * run.results["quantity"]).sum("id")
    base = float((run.results["price"] * run.results["quantity"]).sum("id"))
    unmoved = {"spot": 1.0, "volatility": 0.0, "rate": 0.0}
    if all(value in book[name].values for name, value in unmoved.items()):
        base = float(book.sel(unmoved))
    return book - base


def scenarios(run):
    changes = book_changes(run)
    rates = changes["rate"].values
    figure, axes = style.panels(len(rates), size=(3.4, 3.0) if len(rates) > 1 else (5.2, 3.6))
    largest = float(numpy.abs(changes).max()) or 1.0
    for axis, rate in zip(axes, rates):
        image = axis.pcolormesh(
            style.edges(changes["volatility"]),
            style.edges(changes["spot"]),
            changes.sel(rate=rate),
            cmap=style.DIVERGING,
            vmin=-largest,
            vmax=largest,
        )
        axis.set(xticks=changes["volatility"], yticks=changes["spot"], xlabel=r"shift of volatilities [year$^{-1/2}$]")
        axis.ticklabel_format(style="plain")
        if changes.sizes["spot"] * changes.sizes["volatility"] <= 49:
            for spot in changes["spot"].values:
                for shift in changes["volatility"].values:
                    value = float(changes.sel(rate=rate, spot=spot, volatility=shift))
                    axis.text(
                        shift,
                        spot,
                        style.amount(value),
                        ha="center",
                        va="center",
                        fontsize=9,
                        color=style.text_colour(image, value),
                    )
        axis.grid(False)
        if len(rates) > 1:
            axis.set_title(f"rates {rate:+g}")
    axes[0].set_ylabel("factor on spots")
    figure.colorbar(image, ax=axes, label="change of the book [currency]")
    return figure


def _boundaries(results):
    return [
        id for id in results["id"].values if numpy.isfinite(results.sel(id=id)["exercise_boundary"].values).sum() > 1
    ]


def exercise_boundary(run):
    results = run.results
    figure, axis = style.single()
    for k, id in enumerate(_boundaries(results)[:7]):
        row = results.sel(id=id)
        axis.plot(
            row["exercise_time"],
            row["exercise_boundary"],
            style.MARKERS[k] + "-",
            markersize=3,
            color=style.COLOURS[k],
            label=style.plain(id),
        )
    axis.set(xlabel="time [year]", ylabel="critical spot [currency]")
    axis.legend()
    return figure


def paths(run):
    first = {}  # groups of options may share an underlying
    for sample in run.paths:
        for name in sample["underlying"].values:
            first.setdefault(str(name), sample)
    shown = list(first.items())[:AT_MOST]
    figure, axes = style.panels(len(shown), size=(2.9, 2.3) if len(shown) > 1 else style.SINGLE, sharey=True)
    for axis, (name, sample) in zip(axes, shown):
        spot = sample["spot"].sel(underlying=name)
        axis.plot(sample["time"], (spot / spot.isel(time=0)).T, color=style.COLOURS[0], linewidth=0.6, alpha=0.5)
        axis.set_title(style.plain(name))
    figure.supxlabel("time [year]", fontsize=10)
    figure.supylabel("spot over its start", fontsize=10)
    return figure
