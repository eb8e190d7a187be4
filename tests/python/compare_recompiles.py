"""Native recompiles beside Dynamo's: `compare_recompiles.py TEST_TOOL ROOT [--seed N] [--start N] [--cases N] [--jobs N]`.

Runs call sequences under `aot_eager` and `torch:aot_eager`, takes equal recompiles and graph breaks away from both, and
sorts what is left into the classes of the table in docs/guards.md. Prints how many Cases are equal and how often each class
comes up; a difference in no class, and a class without a row in the table, is a failure.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

from built_binary import touchstone

NATIVE, TORCH = "aot_eager", "torch:aot_eager"
RESUMED = "torch_dynamo_resume"
# What is left on one side: (class, pattern of the reason).
NATIVE_RECOMPILES = (
    ("memory", r"storage offset|storage size|is_leaf|shares? (its version|memory|no memory)|share no memory|view"),
    ("whole containers", r"L\['(parts|others|table|m)'\]"),
    ("handed on", r"^L\['\w+'\] (is|==) "),
    ("captured again", r"^GLOBAL_STATE|L\['\$"),
    ("resumed frames", r"^tensor 'L\['r\d+'\]"),  # a result of what comes before the break
)
TORCH_RECOMPILES = (
    ("resumed frames", rf"^{RESUMED}"),
    ("distinct tensors", r"Duplicate tensors found"),
    ("whole containers", r"len\(\w+\) == |___dict_contains\(|\bis (not )?(parts|others)\b|\bm\.(training|scale) == "),
    ("captured again", r"GLOBAL_STATE|tensor '"),
)
NATIVE_BREAKS = (("captured again", r"graph_break|values are read"),)
TORCH_BREAKS = (
    ("views in place", r"inplace view on a graph input"),
    ("results that are no tensors", r"torch\.\* op returned non-Tensor"),
    ("requires_grad_", r"requires_grad_\(\)"),
    ("captured again", r"graph_break|Tensor\.item\(\)"),
)


def kind_of(reason):
    """The condition alone: no frame, no name, no numbers; the same for both backends."""
    text = re.sub(r"^\w+: ", "", reason).split("\n")[0].split("  #")[0]
    text = re.sub(r"L\['([^']*)'\]", r"\1", text)
    for word in ("GLOBAL_STATE changed: autocast", "GLOBAL_STATE changed: grad_mode", "storage size mismatch", "size mismatch", "stride mismatch",
                 "rank mismatch", "dtype mismatch", "requires_grad mismatch", "dispatch key set mismatch"):
        if word in text:
            return (re.search(r"tensor '(.*?)' ", text) or [""])[0] + word
    return text.strip()


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


def classes_of(row):
    """The classes of a Case's differences; none: it is equal."""
    native, torch = row["backends"][NATIVE], row["backends"][TORCH]
    if len(native["recompiles"]) != len(torch["recompiles"]) and native["graphs"] == torch["graphs"] == 0:
        return ["nothing to compile"]
    breaks, found = [], []
    if len(native["breaks"]) != len(torch["breaks"]):
        breaks += classify(left_over(native["breaks"], torch["breaks"], break_kind), NATIVE_BREAKS)
        breaks += classify(left_over(torch["breaks"], native["breaks"], break_kind), TORCH_BREAKS)
    if len(native["recompiles"]) != len(torch["recompiles"]):
        resumed = (("resumed frames", r"^tensor 'L\['\w+'\]'"),) if breaks else ()
        native_left = left_over(native["recompiles"], torch["recompiles"], kind_of)
        found += classify(native_left, NATIVE_RECOMPILES + resumed)
        found += classify(left_over(torch["recompiles"], native["recompiles"], kind_of), TORCH_RECOMPILES)
    return sorted(set(breaks + found))


def came_to_the_end(row):
    """Both backends have made all calls: counts of others say nothing."""
    outcomes = [side["outcome"] for side in row.get("backends", {}).values()]
    return len(outcomes) == 2 and all(outcome in ("Agreed", "Vacuous", "BothRejected", "Differs") for outcome in outcomes)


def documented(root):
    """The classes with a row in docs/guards.md."""
    page = (root / "docs" / "guards.md").read_text()
    section = page.split("## Beside Dynamo\n")[1].split("\n## ")[0]
    return set(re.findall(r"^\| \*\*(.+?)\*\* \|", section, re.MULTILINE))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    run = touchstone("recompiles", "--seed", options.seed, "--start", options.start, "--cases", options.cases, "--jobs",
                     options.jobs, "--backends", f"{NATIVE},{TORCH}", timeout=30 + 3 * options.cases)
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    if run.returncode != 0 or len(rows) != options.cases:
        print(run.stderr)
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
