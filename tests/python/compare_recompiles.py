"""Native recompiles beside Dynamo's: `compare_recompiles.py TEST_TOOL ROOT [--seed N] [--start N] [--cases N] [--jobs N]`.

Runs call sequences under `aot_eager` and `torch:aot_eager`. The reason of each recompile is brought into one form, what failed and of
which argument; equal ones, and equal graph breaks, are taken away from both sides, and what is left is sorted into the classes of the table
in docs/guards.md. Prints how many Cases are equal and how often each class comes up; a difference in no class, and a class without a row
in the table, is a failure.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

from built_binary import touchstone

NATIVE, TORCH = "aot_eager", "torch:aot_eager"
# What is left on one side: (class, what failed, by Reason.kind, and of which argument).
NATIVE_RECOMPILES = (
    ("memory", r"memory", r""),
    ("whole containers", r"container|constant", r"^(parts|others|table|m)\b"),
    ("whole containers", r"", r"^(parts|others|table|m)\b[.\[]"),
    ("handed on", r"constant", r"^\w+$"),
    ("distinct tensors", r"identity", r""),
)
TORCH_RECOMPILES = (
    ("distinct tensors", r"identity", r""),
    ("whole containers", r"container|constant", r"^(parts|others|table|m|r\d+)\b"),
)
# Where the native side agrees with eager all the same: a guard that it should have shows as a wrong result.
TORCH_ALONE = (("tensors not looked at", r"^(size|rank|stride|dtype|requires_grad|dispatch keys)$", r""),)
# What the code of one side gives the other no counterpart of, where graphs break or one side has recompiled for a reason of its own.
FOLLOWING = (
    ("captured again", r"^(grad mode|autocast|read value)$"),
    ("resumed frames", r"^(size|rank|stride|dtype|requires_grad|dispatch keys|container|constant)$"),
)
NATIVE_BREAKS = (("captured again", r"graph_break|values are read"),)
TORCH_BREAKS = (
    ("views in place", r"inplace view on a graph input"),
    ("results that are no tensors", r"torch\.\* op returned non-Tensor"),
    ("requires_grad_", r"requires_grad_\(\)"),
    ("captured again", r"graph_break|Tensor\.item\(\)"),
)


class Reason(collections.namedtuple("Reason", "kind source")):
    """What failed, and of which argument: `size` of `x`."""


METADATA = (("storage offset mismatch", "memory"), ("storage size mismatch", "memory"), ("size mismatch", "size"), ("rank mismatch", "rank"),
            ("stride mismatch", "stride"), ("dtype mismatch", "dtype"), ("requires_grad mismatch", "requires_grad"),
            ("dispatch key set mismatch", "dispatch keys"))
# Of what is no metadata of a tensor: the kind, and a pattern whose groups are the arguments.
OTHERS = (
    ("grad mode", r"GLOBAL_STATE changed: grad_mode()"),
    ("autocast", r"GLOBAL_STATE changed: autocast()"),
    ("read value", r"^(?:___stack\d+|\$\d+) == ()"),  # a number or a branch that the frame before has read
    ("identity", r"Duplicate tensors found: \[\"(\S+)\", \"(\S+)\""),
    ("identity", r"^(\w+) is (?!None|not|a |the )(\w+)$"),
    ("memory", r"^(\w+) and (\w+) share no memory"),
    ("memory", r"^.*?([\w.\[\]']+)\.(?:storage_offset|untyped_storage)\(\)"),  # an expression of where it lies
    ("memory", r"^(\S+) .*(?:is_leaf|shares? |views? |version|memory)"),
    ("container", r"^___check_type_id\((.+), \w+\)"),
    ("container", r"^(\S+) != [01]$"),  # an int that is a symbol
    ("container", r"^len\((.+)\) == "),
    ("container", r"^KeyError on (.+)\["),
    ("container", r"^(?:not )?___dict_contains\(.+, (.+)\)"),
    ("container", r"^(\w+) is (?:a|the) container"),
    ("container", r"^(\S+) is (?:not )?(?:parts|others)$"),
    ("constant", r"^(\S+) (?:is|==) "),
)


def reason_of(text):
    """The condition alone: no frame, no numbers; the same for both backends."""
    text = re.sub(r"^\w+: ", "", text).split("\n")[0].split("  #")[0].strip()
    text = re.sub(r"L\['([^']*)'\]", r"\1", text)
    text = re.sub(r"\._(?:parameters|buffers|modules)\['(\w+)'\]", r".\1", text)
    tensor = re.match(r"tensor '(.*?)' ", text)
    if tensor:
        others = "memory" if re.search("is_leaf|shares? |views? |version|memory", text) else text
        return Reason(next((kind for word, kind in METADATA if word in text), others), tensor.group(1))
    for kind, pattern in OTHERS:
        found = re.search(pattern, text)
        if found:
            return Reason(kind, ", ".join(sorted(found.groups())))
    return Reason(text, "")


def break_kind(reason):
    for word, patterns in (("graph_break", "graph_break"), ("item", r"item|values are read")):
        if re.search(patterns, reason):
            return word
    return reason


def left_over(own, others, kind):
    """Those of `own` that have no counterpart."""
    room = collections.Counter(map(kind, others))
    left = []
    for reason in own:
        if room[kind(reason)] > 0:
            room[kind(reason)] -= 1
        else:
            left.append(reason)
    return left


def classify(reasons, table):
    return [next((name for name, pattern in table if re.search(pattern, reason)), f"UNCLASSIFIED {reason}") for reason in reasons]


def class_of_recompile(reason, table):
    return next((name for name, kind, source in table if re.search(kind, reason.kind) and re.search(source, reason.source)), None)


def classes_of_recompiles(native, torch, breaks, is_right):
    """The classes of reasons that the other side has not. Without breaks and reasons of its own nothing may follow from them. `is_right`: the
    native side agrees with eager."""
    native, torch = [reason_of(each) for each in native], [reason_of(each) for each in torch]
    left = [(each, NATIVE_RECOMPILES, torch) for each in left_over(native, torch, lambda each: each)]
    left += [(each, TORCH_RECOMPILES, native) for each in left_over(torch, native, lambda each: each)]
    own = {each: class_of_recompile(each, table) for each, table, _ in left}
    found = {name for name in own.values() if name}
    for reason, _, others in left:
        if own[reason] is None:
            follows = breaks or found or reason in others
            name = next((name for name, kind in FOLLOWING if follows and re.search(kind, reason.kind)), None)
            if name is None and is_right and others is native:
                name = class_of_recompile(reason, TORCH_ALONE)
            found.add(name or f"UNCLASSIFIED {reason.kind} of `{reason.source}`")
    return found


def classes_of(row):
    """The classes of a Case's differences; none: it is equal."""
    native, torch = row["backends"][NATIVE], row["backends"][TORCH]
    if len(native["recompiles"]) != len(torch["recompiles"]) and native["graphs"] == torch["graphs"] == 0:
        return ["nothing to compile"]
    breaks = []
    if len(native["breaks"]) != len(torch["breaks"]):
        breaks += classify(left_over(native["breaks"], torch["breaks"], break_kind), NATIVE_BREAKS)
        breaks += classify(left_over(torch["breaks"], native["breaks"], break_kind), TORCH_BREAKS)
    found = classes_of_recompiles(native["recompiles"], torch["recompiles"], native["breaks"] or torch["breaks"],
                                  native["outcome"] in ("Agreed", "Vacuous"))
    return sorted(set(breaks) | found)


def came_to_the_end(row):
    """Both backends have made all calls: counts of others say nothing."""
    outcomes = [side["outcome"] for side in row.get("backends", {}).values()]
    return len(outcomes) == 2 and all(outcome in ("Agreed", "Vacuous", "BothRejected", "Differs") for outcome in outcomes)


def documented(root):
    """The classes with a row in docs/guards.md."""
    page = (root / "docs" / "guards.md").read_text()
    section = page.split("## Beside Dynamo\n")[1].split("\n## ")[0]
    return set(re.findall(r"^\| \*\*(.+?)\*\* \|", section, re.MULTILINE))


def parser_of(description):
    """Which sequences are compared."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1)
    return parser


def rows_of(options, *more):
    """A row for each sequence; None, and what went wrong is printed, where one is missing."""
    run = touchstone("recompiles", "--seed", options.seed, "--start", options.start, "--cases", options.cases, "--jobs", options.jobs,
                     "--backends", f"{NATIVE},{TORCH}", *more, timeout=60 + 3 * options.cases)
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    if run.returncode == 0 and len(rows) == options.cases:
        return rows
    print(run.stderr)
    return None


def main():
    options = parser_of(__doc__).parse_args()
    rows = rows_of(options)
    if rows is None:
        return 1
    unjudged = [row["index"] for row in rows if not came_to_the_end(row)]
    rows = [row for row in rows if came_to_the_end(row)]
    counts, examples = collections.Counter(), {}
    equal = 0
    for row in rows:
        classes = classes_of(row)
        equal += not classes
        for name in classes:
            counts[name] += 1
            examples.setdefault(name, row["index"])
    print(f"{len(rows)} sequences of seed {options.seed}, {equal} of them with equal recompiles and graph breaks")
    if unjudged:
        print(f"  {len(unjudged)} more that one of the two did not come to the end of (first: case {unjudged[0]})")
    for name, count in counts.most_common():
        print(f"  {count:5} {name} (first: case {examples[name]})")
    unknown = set(counts) - documented(options.root)
    for name in sorted(unknown):
        print(f"no row in docs/guards.md: {name}")
    return 1 if unknown or 100 * len(unjudged) > 4 * options.cases else 0


if __name__ == "__main__":
    sys.exit(main())
