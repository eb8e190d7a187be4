"""Which edge classes generated Cases reach: `check_reach.py TEST_TOOL ROOT [--write CASES]`.

The Cases of a class (corpus/edge_classes, corpus/regressions) are recognized as of it, no recognizer says yes to all, and each class
that is reached once in a hundred Cases by docs/reach.md is reached. `--write` counts so many Cases, and writes that page.
"""

import json
import pathlib
import re
import subprocess
import sys

TOOL, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
PAGE = ROOT / "docs" / "reach.md"
SEED, SLICE, TORCH_SLICE = 20261127, 1500, 1000
TORCH_PARTS = ("--part", "python", "--part", "flags")
RARE = 100  # of 100,000: no construct is in fewer
LISTED = {"classes": range(1, 63), "shapes": range(1, 36)}

# What no generated Case is of, and why.
NEVER = {("classes", 8): "no row of the catalogue asks for a sparse gradient",
         ("classes", 33): "rows with `set_` are drawn too seldom for two of them in one Program",
         ("shapes", 34): "compiled autograd is an option of a campaign: `--compiled-autograd`"}

HEAD = """# What the generator reaches

For whoever asks whether random Cases come by the hard cases of AOT autograd by themselves: how often a generated Case is of each edge
class and has the shape of each regression (`docs/edge_classes.md`).

A Case is run eagerly; a recognizer (`tests/tool/EdgeClasses.cpp`) says what its first call shows: which inputs were written to, got
other sizes, share memory, what outputs are views of, and what the Program calls. The Cases of a class in `corpus/` are recognized as of
it. A recognizer may say yes to more than the class means, as most of them read what the Program calls: the figures are upper bounds, and a class
that none has does not come up.

{cases:,} Cases of the seed {seed}, without those of which a kernel of eager's ends the process; the figures are for 100,000. The command
is `tests/python/check_reach.py build/harness/touchstone-test-tool . --write 40000`.
"""


def reach(*arguments):
    """Nothing where a kernel of eager's has ended the process."""
    run = subprocess.run([TOOL, "reach", *map(str, arguments)], capture_output=True, text=True)
    if run.returncode > 0:
        sys.exit(f"reach ended with {run.returncode}: {run.stderr}")
    return run.stdout if run.returncode == 0 else None


def reach_generated(seed, start, cases, parts=()):
    """The counts of all Cases but of those that end the process."""
    if cases > 500:
        return added(reach_generated(seed, begin, min(500, start + cases - begin), parts) for begin in range(start, start + cases, 500))
    text = reach("--seed", seed, "--start", start, "--cases", cases, *parts)
    if text is not None:
        return json.loads(text)
    if cases == 1:
        return reach_generated(seed, start, 0, parts)
    return added(reach_generated(seed, *part, parts) for part in ((start, cases // 2), (start + cases // 2, cases - cases // 2)))


def added(parts):
    total, *others = parts
    for part in others:
        total["cases"] += part["cases"]
        for name, more in part["constructs"].items():
            total["constructs"][name] = total["constructs"].get(name, 0) + more
        for kind in LISTED:
            for row, more in zip(total[kind], part[kind]):
                row["cases"] += more["cases"]
    return total


def table(title, kind, rows, cases):
    lines = [f"\n## {title}\n", "| | what it is | of 100,000 Cases |", "|---:|---|---:|"]
    for row in rows:
        never = NEVER.get((kind, row["number"]))
        lines.append(f"| {row['number']} | {row['name']}{': ' + never if never else ''} | {round(row['cases'] * 100000 / cases):,} |")
    return "\n".join(lines) + "\n"


HEAD_OF_CONSTRUCTS = "\n## Constructs\n\nTold by the printed text of the Case (`tests/tool/Constructs.cpp`).\n\n"
HEAD_OF_TORCH = """
## Constructs of the torch family

Drawn where backends of the torch family compile alone (`--part python --part flags`), in {cases:,} Cases.

"""


def constructs(found):
    """Of what people write around operators: a row by how often."""
    rows = sorted(found["constructs"].items(), key=lambda row: (-row[1], row[0]))
    return "".join(["| construct | of 100,000 Cases |\n|---|---:|\n",
                    *(f"| {name} | {round(count * 100000 / found['cases']):,} |\n" for name, count in rows)])


def write(cases):
    found, torch = reach_generated(SEED, 0, cases), reach_generated(SEED, 0, cases // 2, TORCH_PARTS)
    PAGE.write_text(HEAD.format(cases=found["cases"], seed=SEED) + table("Edge classes", "classes", found["classes"], found["cases"])
                    + table("Shapes of regressions", "shapes", found["shapes"], found["cases"])
                    + HEAD_OF_CONSTRUCTS + constructs(found) + HEAD_OF_TORCH.format(cases=torch["cases"]) + constructs(torch))


def corpus_troubles():
    """Of each class the files that are not recognized, and recognizers that cannot say no."""
    rows = [json.loads(line) for line in reach(ROOT / "corpus" / "edge_classes", ROOT / "corpus" / "regressions").splitlines()]
    ran = [row for row in rows if row["runs"]]
    for row in rows:
        file = pathlib.Path(row["file"])
        number = re.match(r"\d+", file.name)
        kind = "classes" if file.parent.name == "edge_classes" else "shapes"
        if number and int(number[0]) in LISTED[kind] and row["runs"] and int(number[0]) not in row[kind]:
            yield f"{file.parent.name}/{file.name} is not recognized as of {kind} {int(number[0])}"
    if len(ran) < 0.9 * len(rows):
        yield f"only {len(ran)} of {len(rows)} files run"
    for kind, numbers in LISTED.items():
        for number in numbers:
            recognized = sum(number in row[kind] for row in ran)
            if recognized == 0 or (recognized == len(ran) and (kind, number) != ("classes", 2)):
                yield f"{kind} {number}: {recognized} of {len(ran)} files"


def construct_troubles(text, found):
    by_page = {name: int(count.replace(",", "")) for name, count in re.findall(r"^\| (.*) \| ([\d,]+) \|$", text, re.M)}
    for name in by_page.keys() | found["constructs"].keys():
        count, often = found["constructs"].get(name), by_page.get(name)
        if count is None or often is None:
            yield f"{name} is not both in docs/reach.md and counted: write it anew"
        elif often < RARE or (count == 0 and often >= 1000):
            yield f"{name}: {count} of {found['cases']} Cases, {often} of 100,000 by docs/reach.md"


def slice_troubles():
    page, *behind = PAGE.read_text().split("## Constructs")
    often = {kind: {int(number): int(count.replace(",", "")) for number, count in re.findall(r"^\| (\d+) \| .* \| ([\d,]+) \|$", part, re.M)}
             for kind, part in zip(LISTED, page.split("## Edge classes")[1].split("## Shapes of regressions"))}
    found = reach_generated(5, 0, SLICE)
    yield from construct_troubles(behind[0], found)
    yield from construct_troubles(behind[1], reach_generated(5, 0, TORCH_SLICE, TORCH_PARTS))
    for kind, numbers in LISTED.items():
        names = {row["number"]: row["name"] for row in found[kind]}
        counts = {row["number"]: row["cases"] for row in found[kind]}
        for number in numbers:
            if f"| {number} | {names[number]}" not in page:
                yield f"docs/reach.md does not name {kind} {number} as its recognizer does: write it anew"
            elif often[kind][number] >= 1000 and counts[number] == 0:
                yield f"{kind} {number}, {names[number]}: none of {SLICE} Cases, {often[kind][number]} of 100,000 by docs/reach.md"
            elif (often[kind][number] == 0) != ((kind, number) in NEVER):
                yield f"{kind} {number}, {names[number]}: reached or not, against what is said here"


if __name__ == "__main__":
    if "--write" in sys.argv:
        write(int(sys.argv[sys.argv.index("--write") + 1]))
    troubles = [*corpus_troubles(), *slice_troubles()]
    print("\n".join(troubles) or "every class is reached, and its Cases are recognized")
    sys.exit(1 if troubles else 0)
