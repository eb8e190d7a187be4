"""Symbolic sizes beside Dynamo's: `compare_symbols.py TEST_TOOL ROOT [--seed N] [--cases N] [--dynamic true|auto] [--jobs N] [--plant]`.

Runs call sequences under `aot_eager` and `torch:aot_eager` with symbols. Compares how often each has compiled behind each call, and the guards
on sizes, strides and ints in a normal form (size_guards.py), of tensors that both look at. Each difference is sorted into the classes of
docs/guards.md and docs/symbolic_sizes.md; one in no class is a failure, and so are fewer equal guards than `--least` asks for, in percent.
`--plant` takes guards away and adds a recompile on the native side: both must be told.
"""

import collections
import re
import sys

from compare_recompiles import NATIVE, TORCH, came_to_the_end, classes_of, documented, parser_of, rows_of
from size_guards import canonical, codes_of, tensors_of

SIZE = r"\.(?:size|stride)\(\)\[\d+\]"
IS_NUMBER = re.compile(rf"^L[^ ]* == -?\d+$")
# Why natively a tensor has no symbols.
KEPT = re.compile(r"it shares memory|it is a view|an input is a view|it has hooks|it is no plain tensor|how much memory an argument has")


def classes_of_counts(row):
    """The classes of a call behind which the native side has compiled more often; none: there is no such call."""
    native, torch = (row["backends"][name] for name in (NATIVE, TORCH))
    counts = list(zip(native["recompiles_by_call"], torch["recompiles_by_call"]))
    if all(own <= other for own, other in counts):
        return set()
    found = {name for name in classes_of(row) if "UNCLASSIFIED" not in name}
    left = {name for name in classes_of(row) if "UNCLASSIFIED" in name}
    if any(KEPT.search(each) for each in native["specializations"]):
        found.add("sizes that stay")
    elif any("container of `n`" in each for each in left):
        found.add("ints")
    return found or left or {"UNCLASSIFIED recompile"}


def pairs_of(row):
    """Codes of both sides that are most alike, as two sets of guards each, and the second code; and how many codes have no counterpart."""
    sides = [codes_of(row["backends"][name]["guards"]) for name in (NATIVE, TORCH)]
    alike = []
    for i, own in enumerate(sides[0]):
        for j, other in enumerate(sides[1]):
            dimensions, others = tensors_of(own), tensors_of(other)
            both = frozenset(dimensions) & frozenset(others)
            one, two = canonical(own, both), canonical(other, both)
            of_other_rank = any(dimensions[each] != others[each] for each in both)
            alike.append((of_other_rank, len(one ^ two), abs(i - j), i, j, one, two))
    pairs, used = [], [set(), set()]
    for _, _, _, i, j, one, two in sorted(alike, key=lambda each: each[:5]):
        if i not in used[0] and j not in used[1]:
            used[0].add(i)
            used[1].add(j)
            pairs.append((one, two, sides[1][j]))
    return pairs, abs(len(sides[0]) - len(sides[1]))


def class_of_guards(row, native, torch, code):
    """Why the guards of a pair of codes differ; `code`: all that Dynamo guards in its one."""
    own, other = native - torch, torch - native
    specializations = row["backends"][NATIVE]["specializations"]
    if any(IS_NUMBER.search(each) for each in own) and specializations:
        return "sizes that stay" if any(KEPT.search(each) for each in specializations) else "given up"
    if all("stride()" in each for each in own | other if re.search(SIZE, each)) and any("stride()" in each for each in own | other):
        return "strides of their own"
    if any(re.search(r"\.size\(\)\[\d+\] == L.*\.stride\(\)\[\d+\]$", each) for each in other):
        return "strides of their own"
    of_offsets = [each for each in code if re.search(rf"{SIZE} == \S*storage_offset\(\)$|storage_offset\(\) == \S*{SIZE}$", each)]
    sizes_of_offsets = {side for each in of_offsets for side in each.split(" == ") if "storage_offset" not in side}
    if any(size in each for size in sizes_of_offsets for each in own | other):
        return "offsets"
    for free, shared in ((other, own), (own, other)):
        if any(re.match(rf"2 <= .*{SIZE}$", each) for each in free) and any(re.search(rf"{SIZE} == L", each) for each in shared):
            return "symbols of their own"
    sizes = [each for each in own | other if re.search(SIZE, each)]
    if not sizes:
        return "ints"
    if own and other and all(re.fullmatch(rf"(?:\d+ <= )?L\S*{SIZE}(?: (?:==|<=) \d+)?", each) for each in sizes):
        return "bounds"
    if not own and all(each.endswith("<= 0") for each in sizes):
        return "bounds"
    compiled = [[row["backends"][name][key] for key in ("recompiles_by_call", "breaks")] for name in (NATIVE, TORCH)]
    return "codes of other calls" if own and other and compiled[0] != compiled[1] else "UNCLASSIFIED guards"


def plant(row):
    """Guards that are missing, and a recompile that is not needed."""
    native = row["backends"][NATIVE]
    native["guards"] = [each for each in native["guards"] if not each.startswith("2 <= ")]
    native["recompiles_by_call"] = [each + 1 for each in native["recompiles_by_call"]]
    return row


def compare(rows):
    """Counts and the first Case, by what is counted."""
    counts, examples = collections.Counter(), {}

    def note(name, row, number=1):
        counts[name] += number
        examples.setdefault(name, row["index"])

    for row in rows:
        native, torch = (row["backends"][name]["recompiles_by_call"] for name in (NATIVE, TORCH))
        classes = classes_of_counts(row)
        note("count equal" if native == torch else "count more" if classes else "count fewer", row)
        for name in classes:
            note(f"recompiles: {name}", row)
        if max(native + torch, default=0) == 0 and row["backends"][TORCH]["graphs"] == 0:
            continue
        pairs, alone = pairs_of(row)
        equal = True
        for one, two, code in pairs:
            note("guards equal", row, len(one & two))
            note("guards", row, len(one | two))
            note("codes", row)
            if one == two:
                note("codes equal", row)
            else:
                equal = False
                name = class_of_guards(row, one, two, code)
                note(f"guards: {name}", row)
                if name == "sizes that stay":
                    note("guards that stay equal", row, len(one & two))
                    note("guards that stay", row, len(one | two))
        note("sequences with codes", row)
        if equal:
            note("sequences equal", row)
        if alone:
            note("codes of one side", row, alone)
    return counts, examples


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--dynamic", choices=("true", "auto"), default="true")
    parser.add_argument("--least", type=float, default=70)
    parser.add_argument("--plant", action="store_true")
    options = parser.parse_args()
    rows = rows_of(options, "--dynamic", options.dynamic)
    if rows is None:
        return 1
    judged = [plant(row) if options.plant else row for row in rows if came_to_the_end(row)]
    counts, examples = compare(judged)
    print(f"{len(judged)} sequences of seed {options.seed}, dynamic {options.dynamic}: recompiles equal in {counts['count equal']}, natively fewer in "
          f"{counts['count fewer']}, more in {counts['count more']}")
    percent = 100 * counts["guards equal"] / max(counts["guards"], 1)
    print(f"guards on sizes: {counts['guards equal']} of {counts['guards']} equal ({percent:.1f} %), all of them in {counts['codes equal']} of "
          f"{counts['codes']} codes and in {counts['sequences equal']} of {counts['sequences with codes']} sequences; codes of one side alone: "
          f"{counts['codes of one side']}")
    moving = counts["guards"] - counts["guards that stay"]
    print(f"where no tensor keeps its sizes natively alone: {100 * (counts['guards equal'] - counts['guards that stay equal']) / max(moving, 1):.1f} % of {moving}")
    for name, count in counts.most_common():
        if ": " in name:
            print(f"  {count:5} {name} (first: case {examples[name]})")
    found = {name.split(": ", 1)[1] for name in counts if ": " in name}
    page = (options.root / "docs" / "symbolic_sizes.md").read_text()
    unknown = found - documented(options.root) - set(re.findall(r"^\| \*\*(.+?)\*\* \|", page, re.MULTILINE))
    for name in sorted(unknown):
        print(f"no row in docs/symbolic_sizes.md or docs/guards.md: {name}")
    if options.plant:
        missing = {"UNCLASSIFIED guards", "UNCLASSIFIED recompile"} - found
        print(f"not told: {missing}" if missing else "what was planted is told")
        return 1 if missing else 0
    if percent < options.least:
        print(f"fewer than {options.least} % of the guards are equal")
    failed = bool(unknown) or percent < options.least or 100 * len(judged) < 96 * options.cases
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
