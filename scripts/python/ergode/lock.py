"""Whether somebody is at work in a run directory, by its lock.json, as the program judges it."""

import json
import os
import pathlib
import socket
import time

SILENCE = 120.0  # seconds without a heartbeat after which an owner elsewhere is taken for dead


def owner(directory):
    """(who, reason): who holds the directory, in words, and why that one is gone, or None while it is alive. None without a lock
    that can be read."""
    path = pathlib.Path(directory) / "lock.json"
    try:
        lock, silent = json.loads(path.read_text(encoding="utf-8")), time.time() - path.stat().st_mtime
    except (OSError, ValueError):
        return None
    if not isinstance(lock, dict):
        return None
    who = f"host {lock.get('host')}, process {lock.get('pid')}, since {lock.get('since')}"
    if lock.get("job"):
        who += f", job {lock['job']}"
    return who, _gone(lock, silent)


def _gone(lock, silent):
    if lock.get("host") == socket.gethostname():
        boot = _first_line("/proc/sys/kernel/random/boot_id")
        if lock.get("boot") and boot and lock["boot"] != boot:
            return "the host was restarted since"
        if lock.get("pid_namespace") == _link("/proc/self/ns/pid"):
            started = _process_start(lock.get("pid"))
            if started is None:
                return f"process {lock.get('pid')} is gone"
            return None if started == lock.get("process_start") else f"process {lock.get('pid')} is another one now"
    return f"its owner is silent for {silent:.0f} s" if silent > SILENCE else None


def _first_line(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline().rstrip("\n")
    except OSError:
        return ""


def _link(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _process_start(pid):
    """Field 22 of /proc/PID/stat, counted from the last `)`: the command's name may hold anything. None of the dead."""
    fields = _first_line(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 and fields[0] not in ("Z", "X") else None
