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


def dump_config(config):
    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True)


def _items(node):
    """Of a mapping's node."""
    return {key.value: value for key, value in node.value} if isinstance(node, yaml.MappingNode) else {}


def read_swept_values(path):
    """Key path -> {text: value} of what a sweep's config lists: a text and a number may be written alike, `"001"` and `001`."""
    loader = _Loader(_text(path))
    try:
        sweep = _items(loader.get_single_node()).get("sweep")
        return {
            key: {item.value: loader.construct_object(item) for item in node.value if isinstance(item, yaml.ScalarNode)}
            for key, node in _items(_items(sweep).get("parameters")).items()
            if isinstance(node, yaml.SequenceNode)
        }
    except yaml.YAMLError as problem:
        raise DamagedError(path, f"is no YAML: {problem}") from problem


def set_value(config, key, value):
    """As `--set key=value`: items of a list by number, and a list of one may be left out of the path."""
    *path, last = key.split(".")
    for part in path:
        config = _step(config, part)
    if isinstance(config, list) and not last.isdecimal():
        config = config[0]
    config[int(last) if isinstance(config, list) else last] = value


def _step(config, part):
    if isinstance(config, list):
        return config[int(part)] if part.isdecimal() else _step(config[0], part)
    if part == "0" and part not in config:
        return config
    if not isinstance(config.get(part), (dict, list)):
        config[part] = {}
    return config[part]


def read_summary(path):
    try:
        summary = json.loads(_text(path))
    except json.JSONDecodeError as problem:
        raise DamagedError(path, f"is no JSON: {problem}") from problem
    if not isinstance(summary, dict):
        raise DamagedError(path, "is no summary: its root is no object")
    for name in ("results", "seconds_by_phase", "provenance"):
        if not isinstance(summary.get(name, {}), dict):
            raise DamagedError(path, f"is no summary: `{name}` is no object")
    if not all(isinstance(item, dict) for item in summary.get("results", {}).values()):
        raise DamagedError(path, "is no summary: an item of `results` is no object")
    numbers = [summary.get("wall_seconds_total", 0.0), *summary.get("seconds_by_phase", {}).values()]
    if not all(isinstance(number, (int, float)) for number in numbers):
        raise DamagedError(path, "is no summary: one of its times is no number")
    return summary
