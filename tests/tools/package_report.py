#!/usr/bin/env python3
"""Writes reports with the Python package, reads them and opens them in a browser. Exit 0: as it should be, 77: a module or
Chromium is missing.

usage: package_report.py CASE DIRECTORY
"""

import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from package import crossed_sweep, need, need_package, skip, summary_of

DIRECTORY = pathlib.Path(sys.argv[2])

# Put into a copy of the page: paints each image and counts the pixels that it has drawn.
PROBE = """<script>
addEventListener('load', () => {
  const drawn = [...document.images].map(image => {
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth, canvas.height = image.naturalHeight;
    if (canvas.width * canvas.height === 0) return 0;
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, canvas.width, canvas.height).data.filter((value, k) => k % 4 === 3 && value > 0).length;
  });
  document.body.dataset.images = JSON.stringify(drawn);
});
</script>"""


class Page(html.parser.HTMLParser):
    """Texts of the cells of each table, addresses of whatever the page would load, tags."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.addresses, self.tags, self._cell = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href", "srcset", "data", "action")]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._cell = True

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._cell = False

    def handle_data(self, data):
        if self._cell:
            self.rows[-1][-1] += data

    def row(self, head):
        found = [row for row in self.rows if row and row[0] == head]
        assert found, head
        return found[0]  # of the checks, which come first


def report(run, name="report.html"):
    output = DIRECTORY / name
    package = pathlib.Path(need_package().__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "ergode.report", run, "-o", output],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(package)},
    )
    assert done.returncode == 0, done.stderr
    return output.read_text(encoding="utf-8")


def verdict(page, check):
    return page.row(check)[1].lstrip("✓!✗ ")


def content():
    need_package()
    text = report(DIRECTORY / "solar")
    page, summary = Page(text), summary_of(DIRECTORY / "solar")
    for check in ("end of the run", "warnings", "energy error", "momentum drift", "force error"):
        assert verdict(page, check) == "good", page.row(check)
    assert page.row("energy error")[2].startswith(
        f"{summary['results']['largest_relative_energy_error']['value']:.2e}; the config allows 1e-10"
    )
    assert page.row("steps")[1] == "200" and page.row("time")[1:] == ["4000", "day"]
    assert page.row("integrator")[1].startswith("yoshida8")
    for name in ("compiler", "ergode version", "git commit"):
        assert page.row(name)[1] == str(summary["provenance"][name.replace(" ", "_")]), name
    assert (
        page.row("started")[1] == summary["provenance"]["started"]
        and summary["provenance"]["device"] in page.row("device")[1]
    )
    assert page.row("time in advance")[1] == f"{summary['seconds_by_phase']['advance']:.3f} s"
    assert page.tags.count("img") == 2 and "end_time: 4000" in text
    self_contained(text)
    text = report(DIRECTORY / "greeks")
    page = Page(text)
    assert verdict(page, "closed forms") == "good" and page.row("closed forms")[2].startswith("6 of 6 options have one")
    assert page.row("call-5000")[1:4] == ["european", "call", "INDEX"] and page.tags.count("img") == 5
    self_contained(text)


def self_contained(text):
    page = Page(text)
    assert page.addresses and all(address.startswith("data:") for address in page.addresses), [
        a[:40] for a in page.addresses
    ]
    assert "script" not in page.tags and not re.search(r"url\(|@import", text)


def verdicts():
    """Runs that were changed after the fact: each check can fail."""
    ergode, h5py = need_package(), need("h5py")
    from ergode.report import checks

    def found(run):
        return {check.name: check for check in checks(ergode.open(run))}

    solar = DIRECTORY / "solar"
    original = summary_of(solar)

    def with_summary(**changes):
        summary = json.loads(json.dumps(original))
        for name, value in changes.items():
            if name in summary["results"]:
                summary["results"][name]["value"] = value
            else:
                summary[name] = value
        (solar / "summary.json").write_text(json.dumps(summary))
        return found(solar)

    assert all(check.verdict == "good" for check in with_summary().values())
    assert with_summary(largest_relative_energy_error=2e-10)["energy error"].verdict == "bad"  # the config allows 1e-10
    assert with_summary(largest_relative_energy_error=6e-11)["energy error"].verdict == "look at it"
    assert with_summary(force_error=1e-3)["force error"].verdict == "look at it"
    assert with_summary(force_error=None)["force error"].verdict == "not checked"
    assert with_summary(momentum_drift=1e-4)["momentum drift"].verdict == "look at it"
    going_on(solar, original["results"], lambda: with_summary(state="running", results={}))
    stopped = with_summary(state="stopped", exit_code=75, message="signal 15")["end of the run"]
    assert stopped.verdict == "bad" and "75" in stopped.text and "signal 15" in stopped.text
    with open(solar / "run.log", "a") as log:
        log.write("2026-11-30T12:00:00.000+00:00 warning the sky falls\n")
    check = found(solar)["warnings"]
    assert check.verdict == "look at it" and check.text == "1 in run.log: the sky falls"
    (solar / "summary.json").unlink()
    assert found(solar)["end of the run"].verdict == "bad"

    greeks = DIRECTORY / "greeks"
    with h5py.File(greeks / "results.h5", "r+") as file:
        assert found(greeks)["tolerances"].verdict == "good"
        price, error = file["reference_value"][2], file["standard_error"][2]
        file["price"][2], file["z_score"][2] = price + 5 * error, 5.0
    check = found(greeks)["closed forms"]
    assert check.verdict == "bad" and "call-5500" in check.text and "call-4500" not in check.text
    with h5py.File(greeks / "results.h5", "r+") as file:
        file["bias"][2] = 2 * error  # a stated bias belongs to the error
    assert found(greeks)["closed forms"].verdict == "good"
    assert found(greeks)["bias"].verdict == "look at it" and "call-5500" in found(greeks)["bias"].text
    (greeks / "results.h5").unlink()  # as in a run that was stopped before its end
    assert sorted(found(greeks)) == ["end of the run", "warnings"]
    assert "no data for a picture" in report(greeks)
    missed = found(DIRECTORY / "basket")["tolerances"]
    assert missed.verdict == "look at it" and "basket" in missed.text


def going_on(run, results, found):
    """A live run and one that was killed: the lock tells them apart; what was observed so far is in the series."""
    check = found()
    assert check["end of the run"].verdict == "bad" and "no lock" in check["end of the run"].text
    worst = results["largest_relative_energy_error"]["value"]
    assert check["energy error"].verdict == "good" and check["energy error"].text.startswith(f"{worst:.2e} so far")
    drift, in_the_end = float(check["momentum drift"].text.split()[0]), results["momentum_drift"]["value"]
    assert abs(drift / in_the_end - 1) < 0.2 and check["force error"].verdict == "not checked"
    owner = subprocess.Popen(["sleep", "1000"])
    started = pathlib.Path(f"/proc/{owner.pid}/stat").read_text().rpartition(")")[2].split()[19]
    lock = {
        "host": os.uname().nodename,
        "boot": pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip(),
        "pid_namespace": os.readlink("/proc/self/ns/pid"),
        "pid": owner.pid,
        "process_start": started,
        "job": "slurm 88",
        "since": "2026-11-30T12:00:00Z",
    }

    def end(silent=0, **changes):
        path = run / "lock.json"
        path.write_text(json.dumps({**lock, **changes}))
        os.utime(path, (time.time() - silent,) * 2)
        return found()["end of the run"]

    try:
        alive = end(silent=1000)  # it may be suspended
        assert alive.verdict == "not checked" and "goes on after 200 of 200 steps" in alive.text
        assert f"process {owner.pid}" in alive.text and "slurm 88" in alive.text
        assert "another one now" in end(process_start="1").text
        assert "restarted" in end(boot="another").text
        assert end(host="elsewhere", silent=60).verdict == "not checked"
        before = time.time()
        silent = end(host="elsewhere", silent=300)
        assert silent.verdict == "bad"
        seconds = int(re.search(r"silent for (\d+) s", silent.text)[1])  # the look takes its time too
        assert 300 <= seconds <= 301 + time.time() - before, silent.text
    finally:
        owner.kill()
        owner.wait()
    killed = end()
    assert killed.verdict == "bad" and f"process {owner.pid} is gone" in killed.text and "--resume" in killed.text
    (run / "lock.json").unlink()


def of_a_sweep():
    need_package()
    text = report(crossed_sweep(DIRECTORY, DIRECTORY / "solar"))
    page = Page(text)
    assert verdict(page, "members") == "bad" and "4 of 6 done, 1 pending (" in page.row("members")[2]
    assert ", 1 failed: 4" in page.row("members")[2] and "nobody is at work" in page.row("members")[2]
    assert page.row("member")[2:4] in (["gravity.softening", "integrator.timestep"],)
    assert page.row("3")[1:5] == ["done", "0.1", "0.02", "8e-06"] and page.tags.count("img") == 1
    self_contained(text)


def chromium():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return name
    skip("Chromium is not installed")


def load(browser, text, name):
    """Loads the page with the network unreachable: drawn pixels of its images, and what the console said."""
    path = DIRECTORY / name
    path.write_text(text, encoding="utf-8")
    arguments = [
        "--headless",
        *(["--no-sandbox"] if os.geteuid() == 0 else []),  # Chromium has none for root
        "--disable-gpu",
        f"--user-data-dir={DIRECTORY / 'profile'}",
        "--enable-logging=stderr",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--dump-dom",
    ]
    done = subprocess.run([browser, *arguments, path.as_uri()], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    images = re.search(r"data-images=\"([^\"]*)\"", done.stdout)
    return json.loads(html.unescape(images[1])) if images else None, re.findall(r".*CONSOLE.*", done.stderr)


def probed(text):
    """The page with the probe, which its own policy would forbid."""
    assert "style-src 'unsafe-inline'" in text
    return text.replace("style-src 'unsafe-inline'", "style-src 'unsafe-inline'; script-src 'unsafe-inline'").replace(
        "</body>", PROBE + "</body>"
    )


def in_a_browser():
    browser = chromium()
    need_package()
    for run in ("basket", "solar"):
        text = report(DIRECTORY / run)
        count = Page(text).tags.count("img")
        images, console = load(browser, probed(text), "probed.html")
        assert images is not None and len(images) == count >= 2 and min(images) > 50000, (run, images)
        assert console == [], (run, console)
    assert load(browser, text, "plain.html") == (None, [])
    # What is looked for would be seen: a picture with a bad byte, a picture from the network, an error.
    broken = re.sub(r"(data:image/png;base64,)[A-Za-z0-9+/]{40}", r"\1" + "A" * 40, probed(text), count=1)
    images, _ = load(browser, broken, "broken.html")
    assert images[0] == 0 and min(images[1:]) > 50000
    foreign = text.replace("</body>", "<img src='http://example.org/a.png'></body>")
    assert load(browser, foreign, "foreign.html")[1]
    assert load(browser, probed(text).replace("</body>", "<script>throw Error('x')</script></body>"), "error.html")[1]


if __name__ == "__main__":
    globals()[sys.argv[1]]()
