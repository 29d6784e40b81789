#!/usr/bin/env python3
"""Opens a series with the Python package while another process writes it. Exit 0: as it should be, 77: a module is missing.

usage: package_live.py live DIRECTORY
"""

import pathlib
import subprocess
import sys

from package import need_package

DIRECTORY = pathlib.Path(sys.argv[2])

WRITER = """
import h5py, numpy, sys
file = h5py.File(sys.argv[1], "w", libver="latest")
for name in ("time", "total_energy"):
    file.create_dataset(name, (3,), maxshape=(None,), chunks=(16,), data=numpy.arange(3.0))
file["time"].make_scale("time")
file["total_energy"].dims[0].attach_scale(file["time"])
file.swmr_mode = True
print("ready", flush=True)
for name in sys.stdin:
    data = file[name.strip()]
    data.resize((4,))
    data[3] = 9
    data.flush()
    print("written", flush=True)
"""


def live():
    """A series that another process has open in the mode in which the program writes it, and then its killed writer's."""
    ergode = need_package()
    run = DIRECTORY / "live"
    run.mkdir()
    (run / "config.used.yaml").write_text("simulation: nbody\nunits: nbody\n")
    arguments = [sys.executable, "-c", WRITER, str(run / "series.h5")]
    writer = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def write(name):
        writer.stdin.write(name + "\n")
        assert writer.stdout.readline() == "written\n"

    try:
        assert writer.stdout.readline() == "ready\n"
        opened = ergode.open(run)
        assert list(opened.series["total_energy"].values) == [0, 1, 2]
        write("time")  # a row of which not all is there yet
        opened.refresh()
        assert opened.series.sizes["time"] == 3
        write("total_energy")
        assert opened.series.sizes["time"] == 3  # kept until one asks
        opened.refresh()
        assert list(opened.series["total_energy"].values) == [0, 1, 2, 9]
    finally:
        writer.kill()
        writer.wait()
    assert list(ergode.open(run).series["time"].values) == [0, 1, 2, 9]


if __name__ == "__main__":
    globals()[sys.argv[1]]()
