"""Which operators need sizes that are numbers: `count_specializations.py TEST_TOOL ROOT [--torch] [--check] [--cases N] [--seed N]`.

Compiles a small Case of each operator of the catalogue, in some dtypes and with a backward, under `aot_eager` with `dynamic=True`. Prints a row
for each operator for which a size or an int that was to be a symbol was given up: in how many of its Cases, and the reason; with `--torch`
whether Dynamo guards the same numbers in each of them. With `--cases`, how many Cases of a campaign need one, by reason. `--check`: the operators
and reasons are those of the table in docs/symbolic_sizes.md, and no more than five percent of all.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

from built_binary import touchstone
from compare_recompiles import NATIVE, TORCH
from size_guards import canonical, codes_of, tensors_of


def run_rows(*arguments, backends, timeout):
    run = touchstone("recompiles", "--dynamic", "true", *arguments, "--backends", ",".join(backends), timeout=timeout)
    if run.returncode != 0:
        raise SystemExit(run.stderr)
    return [json.loads(line) for line in run.stdout.splitlines()]


def reason_of(text):
    """Without the numbers of one Case."""
    text = text.split(": ", 1)[1]
    text = re.sub(r"(where the graph ends): .*", r"\1", text)
    return re.sub(r"-?\b\d+\b", "N", text)


def is_given_up_by_dynamo(row):
    """It guards the numbers that were given up natively."""
    numbers = {each.split(": ")[0] for each in row["backends"][NATIVE]["specializations"] if re.match(r"\S+ == -?\d+: ", each)}
    guarded = set()
    for code in codes_of(row["backends"].get(TORCH, {"guards": ()})["guards"]):
        guarded |= canonical(code, frozenset(tensors_of(code)))
    return bool(numbers) and numbers <= guarded


def tabulate(rows):
    """By operator: how many Cases there are, how many need a number, their reasons, and whether Dynamo needs them, too."""
    table = {}
    for row in rows:
        native = row.get("backends", {}).get(NATIVE)
        if native is None or native["outcome"] in ("EagerRejected", "Unsupported"):
            continue
        entry = table.setdefault(row["operators"][0], {"cases": 0, "given up": 0, "reasons": set(), "dynamo": 0})
        entry["cases"] += 1
        if native["specializations"]:
            entry["given up"] += 1
            entry["reasons"] |= set(map(reason_of, native["specializations"]))
            entry["dynamo"] += is_given_up_by_dynamo(row)
    return table


def print_table(table, with_torch):
    needing = {name: entry for name, entry in sorted(table.items()) if entry["given up"]}
    groups = collections.defaultdict(list)
    for name, entry in needing.items():
        all_there = "all" if entry["dynamo"] == entry["given up"] else entry["dynamo"] or "none"
        key = "; ".join(sorted(entry["reasons"])), str(all_there) if with_torch else ""
        groups[key].append(f"`{name}` {entry['given up']}/{entry['cases']}")
    for (reasons, dynamo), names in sorted(groups.items()):
        print(f"| {', '.join(names)} | {reasons.replace('|', '/')} | {dynamo} |")
    alone = sum(entry["dynamo"] < entry["given up"] for entry in needing.values())
    print(f"{len(table)} operators, {len(table) - len(needing)} of them ({100 - 100 * len(needing) / len(table):.1f} %) need none")
    if with_torch:
        print(f"{alone} of those that do need one where Dynamo does not: {100 - 100 * alone / len(table):.1f} % need none but what Dynamo needs")
    return needing


def documented(root):
    """By operator the reasons in the table of docs/symbolic_sizes.md."""
    section = (root / "docs" / "symbolic_sizes.md").read_text().split("## Operators that need numbers\n")[1].split("\n## ")[0]
    found = {}
    for operators, reasons in re.findall(r"^\| (`.+?) \| (.+?) \| ", section, re.MULTILINE):
        for name in re.findall(r"`(\w+)`", operators):
            found[name] = reasons
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--torch", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--cases", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    backends = [NATIVE, TORCH] if options.torch else [NATIVE]
    needing = print_table(tabulate(run_rows("--of", "operators", backends=backends, timeout=1500)), options.torch)
    if options.cases:
        rows = run_rows("--of", "cases", "--seed", options.seed, "--cases", options.cases, backends=[NATIVE], timeout=60 + options.cases)
        natives = [row["backends"][NATIVE] for row in rows if NATIVE in row.get("backends", {})]
        reasons = collections.Counter(reason for each in natives for reason in set(map(reason_of, each["specializations"])))
        print(f"{len(natives)} Cases of seed {options.seed}, {sum(not each['specializations'] for each in natives)} of them need none")
        for reason, count in reasons.most_common(20):
            print(f"  {count:5} {reason}")
    if not options.check:
        return 0
    told = {name: "; ".join(sorted(entry["reasons"])).replace("|", "/") for name, entry in needing.items()}
    expected = documented(options.root)
    for name in sorted(set(told) | set(expected)):
        if told.get(name) != expected.get(name):
            print(f"{name}: {told.get(name, 'needs none')}; docs/symbolic_sizes.md: {expected.get(name, 'needs none')}")
    return 0 if told == expected else 1


if __name__ == "__main__":
    sys.exit(main())
