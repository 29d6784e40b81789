#!/usr/bin/env python3
"""Tests of scripts/bench/peers. Exit 0: as it should be, 77: a module is missing.

usage: bench_peers.py CASE SOURCE_DIR EMPTY_DIR PROGRAM
"""
import json
import math
import sys

from bench import BENCH, HERE, TIMING, run, timing
from optional import need


def peer(module, script, names):
    need(module)
    need("numpy")
    run(sys.executable, BENCH / "peers" / script, "--device", "cpu", "--quick", "--json", HERE / "p.json")
    p = json.loads((HERE / "p.json").read_text())
    assert [r["name"] for r in p["rows"]] == names
    for row in p["rows"]:
        assert row["accurate"], row
        assert all(key in row for key in TIMING) and row["rate"] > 0
        assert row["e2"] < 1e-5 if row["name"] == "direct" else row["standard_error"] > 0
    return p


def rebound():
    peer("rebound", "rebound_direct.py", ["direct"])


def quantlib():
    peer("QuantLib", "quantlib_asian.py", ["asian"])


def numba():
    peer("numba.cuda", "numba_cuda.py", ["direct", "asian"])


def jax():
    peer("jax", "jax_xla.py", ["direct", "asian"])


def torch():
    peer("torch", "torch_arrays.py", ["direct", "asian", "direct", "asian"])


def cases():
    """A peer's case that fails is left out, and the others are there."""
    need("numpy")
    sys.path.insert(0, str(BENCH / "peers"))
    import common

    def asian(_):
        return common.asian_row("v", "float", 10, timing(1.0, 1.0, ""), common.ASIAN_PRICE, 0.01)

    def fails(_):
        before = json.loads((HERE / "p.json").read_text())
        assert len(before["rows"]) == 1 and before["finished"] is False  # what is measured is there already
        raise ValueError("no such thing\nand more")

    sys.argv = ["peer", "--json", str(HERE / "p.json")]
    arguments = common.options("", ["cpu"])
    assert common.run(arguments, "Peer", "1", [("first", asian), ("second", fails), ("third", asian)]) == 1
    p = json.loads((HERE / "p.json").read_text())
    assert [r["name"] for r in p["rows"]] == ["asian", "asian"] and p["finished"] is True
    assert p["left_out"] == [{"what": "second: ValueError: no such thing"}]
    assert common.run(arguments, "Peer", "1", [("first", asian)]) == 0


def accuracy():
    numpy = need("numpy")
    sys.path.insert(0, str(BENCH / "peers"))
    import common
    position, mass = common.plummer(200)
    d = position[None] - position[:, None]
    r2 = (d * d).sum(axis=2) + common.SOFTENING**2
    exact = (d * (mass / r2**1.5)[:, :, None]).sum(axis=1)
    assert common.force_error(position, mass, exact) < 1e-14
    assert math.isclose(common.force_error(position, mass, 1.001 * exact), 1e-3, rel_tol=1e-6)
    took = timing(1.0, 1.0, "")
    assert common.gravity_row("v", "float", position, mass, took, exact, 1e-4)["accurate"]
    assert not common.gravity_row("v", "float", position, mass, took, 1.001 * exact, 1e-4)["accurate"]
    assert not common.gravity_row("v", "float", position, mass, took, numpy.full_like(exact, numpy.nan), 1e-4)["accurate"]
    assert common.asian_row("v", "float", 10, took, common.ASIAN_PRICE + 0.039, 0.01)["accurate"]
    assert not common.asian_row("v", "float", 10, took, common.ASIAN_PRICE - 0.041, 0.01)["accurate"]
    assert not common.asian_row("v", "float", 10, took, math.nan, 0.01)["accurate"]
    # The known price: a plain sum over paths of our own, within its error (a fixed seed).
    generator = numpy.random.default_rng(5)
    logs = numpy.cumsum(common.DRIFT + common.DIFFUSION * generator.standard_normal((20000, common.STEPS)), axis=1)
    payoff = numpy.maximum(common.SPOT * numpy.exp(logs).mean(axis=1) - common.STRIKE, 0)
    price, error = common.mean_and_error(payoff.sum(), (payoff**2).sum(), len(payoff))
    assert error < 0.1 and abs(price - common.ASIAN_PRICE) < 4 * error, (price, error)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
