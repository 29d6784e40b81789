"""What a run.log warns of."""

import re

from ergode.sweep import PackedRun


def warnings(path):
    """Texts of the warnings and errors in the order of the log; None where it cannot be read."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    return [line.split(None, 2)[-1] for line in lines if line.split()[1:2] in (["warning"], ["error"])]


def run_warnings(run):
    """Of one run, packed or not."""
    if not isinstance(run, PackedRun):
        return warnings(run.directory / "run.log")
    found = sweep_warnings(run.sweep)
    return None if found is None else found[0].get(run.number, [])


def _logs(sweep):
    """Of the sweep and of its tasks."""
    return [sweep.directory / "run.log", *sorted((sweep.directory / "tasks").glob("task_*/run.log"))]


def sweep_warnings(sweep):
    """{member's number: texts}, and the texts that are of no member; None where there is no log at all. Packed members warn in
    the log of the process that ran them, the others in their own."""
    of_members, others, found = {}, [], False
    for path in _logs(sweep):
        texts = warnings(path)
        found = found or texts is not None
        for text in texts or ():
            match = re.match(r"member_(\d+): (.*)", text)
            if match:
                of_members.setdefault(int(match[1]), []).append(match[2])
            elif not re.match(r"member \d+ \(|and \d+ more members failed", text):  # failures, which the index has
                others.append(text)
    for number, directory in zip(sweep.index["member"].tolist(), sweep.index["directory"]):
        if directory:
            texts = warnings(sweep.directory / str(directory) / "run.log")
            found = found or texts is not None
            if texts:
                of_members.setdefault(number, []).extend(texts)
    return (of_members, others) if found else None
