#!/usr/bin/env python3
"""Plots a run directory of `simulation: nbody`: energy error and radii against time, and the last snapshot, as one PNG."""
import argparse
import pathlib
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=pathlib.Path, help="run directory")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="PNG file (default: RUN/plot.png)")
    parser.add_argument("--trails", action="store_true", help="mark the bodies' places in all snapshots")
    arguments = parser.parse_args()
    try:
        import h5py
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
        import numpy as np
    except ImportError as problem:
        sys.exit(f"{problem}: apt install python3-h5py python3-matplotlib, and run this with /usr/bin/python3")

    snapshots = sorted((arguments.run / "snapshots").glob("snapshot_*.hdf5"))
    series_path = arguments.run / "series.h5"
    if not snapshots or not series_path.exists():
        sys.exit(f"{arguments.run}: has no series.h5 or no snapshots")

    def open_series():
        try:
            return h5py.File(series_path)
        except OSError:  # of a live or killed run
            return h5py.File(series_path, libver="latest", swmr=True)

    def positions(path):
        with h5py.File(path) as f:
            groups = [f[g] for g in ("PartType1", "PartType2") if g in f]
            x = np.concatenate([g["Coordinates"][:] for g in groups])
            ids = np.concatenate([g["ParticleIDs"][:] for g in groups])
            return x[np.argsort(ids)], float(f["Header"].attrs["Time"])

    def unit(dataset):
        text = dataset.attrs.get("units", b"1")
        text = text.decode() if isinstance(text, bytes) else str(text)
        return "" if text == "1" else f" [{text}]"

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
    with open_series() as f:
        time, time_unit = f["time"][:], unit(f["time"])
        length_unit = unit(f["centre_of_mass"])
        if "lagrangian_radius" in f and f["lagrangian_radius"].shape[1] > 0:
            for k, fraction in enumerate(f["mass_fraction"][:]):
                left.semilogy(time, f["lagrangian_radius"][:, k], label=f"{100 * fraction:g} %")
            left.set_ylabel("Lagrangian radius" + length_unit)
            left.legend(title="mass")
        elif "relative_energy_error" in f:
            error = np.abs(f["relative_energy_error"][:])
            left.semilogy(time, np.where(error > 0, error, np.nan), lw=1)
            left.set_ylabel("|relative energy error|")
        left.set_xlabel("time" + time_unit)
    last, when = positions(snapshots[-1])
    few = len(last) <= 20
    reach = np.abs(last[:, :2]).max() * 1.1 if few else np.percentile(np.abs(last[:, :2]), 98) * 1.5
    if arguments.trails or few:
        paths = np.stack([positions(s)[0] for s in snapshots])
        for body in range(paths.shape[1]):
            right.plot(paths[:, body, 0], paths[:, body, 1], ".", ms=3)
        if few:
            reach = np.abs(paths[:, :, :2]).max() * 1.1
    right.scatter(last[:, 0], last[:, 1], s=20 if few else 1, alpha=1 if few else 0.5, color="k", linewidths=0)
    right.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xlabel="x" + length_unit, ylabel="y" + length_unit)
    right.set_title(f"t = {when:g}{time_unit.replace('[', '').replace(']', '')}")
    output = arguments.output or arguments.run / "plot.png"
    figure.savefig(output, dpi=130)
    print(output)


if __name__ == "__main__":
    main()
