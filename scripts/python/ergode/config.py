"""config.used.yaml and summary.json as dictionaries."""

import json
import re

import yaml

from ergode.errors import DamagedError, MissingError


class _Loader(yaml.SafeLoader):
    """YAML 1.2, as Ergode reads it: 1e-5 is a number, `on` and 12:30 are texts."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+", list("-+0123456789")),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        list("-+0123456789."),
    ),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), _first)


def _decimal(loader, node):
    return int(loader.construct_scalar(node))


_Loader.add_constructor("tag:yaml.org,2002:int", _decimal)  # 010 is ten, not eight


def _text(path):
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MissingError(path, "no such file") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise DamagedError(path, f"cannot be read: {problem}") from problem


def read_config(path):
    try:
        config = yaml.load(_text(path), _Loader)
    except yaml.YAMLError as problem:
        raise DamagedError(path, f"is no YAML: {problem}") from problem
    if not isinstance(config, dict):
        raise DamagedError(path, "is no config: its root is no mapping")
    return config


def parse_value(text):
    """One value as it would stand in a config: `0.01`, `[1, 2]`, `philox`."""
    return yaml.load(text, _Loader)


def read_summary(path):
    try:
        return json.loads(_text(path))
    except json.JSONDecodeError as problem:
        raise DamagedError(path, f"is no JSON: {problem}") from problem
