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
SEED, SLICE = 20261127, 1500
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


def reach_generated(seed, start, cases):
    """The counts of all Cases but of those that end the process."""
    if cases > 500:
        return added(reach_generated(seed, begin, min(500, start + cases - begin)) for begin in range(start, start + cases, 500))
    text = reach("--seed", seed, "--start", start, "--cases", cases)
    if text is not None:
        return json.loads(text)
    if cases == 1:
        return reach_generated(seed, start, 0)
    return added(reach_generated(seed, *part) for part in ((start, cases // 2), (start + cases // 2, cases - cases // 2)))


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


def constructs(counts, cases):
    """Of what people write around operators: a row by how often, those that no Case has last."""
    lines = ["\n## Constructs\n", "Told by the printed text of the Case (`tests/tool/Constructs.cpp`), and by what needs Python. Flags are drawn where a backend of the\n"
             "torch family compiles alone, and are none here.\n",
             "| construct | of 100,000 Cases |", "|---|---:|"]
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    return "\n".join(lines + [f"| {name} | {round(count * 100000 / cases):,} |" for name, count in rows]) + "\n"


def write(cases):
    found = reach_generated(SEED, 0, cases)
    PAGE.write_text(HEAD.format(cases=found["cases"], seed=SEED) + table("Edge classes", "classes", found["classes"], found["cases"])
                    + table("Shapes of regressions", "shapes", found["shapes"], found["cases"])
                    + constructs(found["constructs"], found["cases"]))


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


def slice_troubles():
    page, *behind = PAGE.read_text().split("## Constructs")
    often = {kind: {int(number): int(count.replace(",", "")) for number, count in re.findall(r"^\| (\d+) \| .* \| ([\d,]+) \|$", part, re.M)}
             for kind, part in zip(LISTED, page.split("## Edge classes")[1].split("## Shapes of regressions"))}
    found = reach_generated(5, 0, SLICE)
    by_page = {name: int(count.replace(",", "")) for name, count in re.findall(r"^\| (.*) \| ([\d,]+) \|$", "".join(behind), re.M)}
    for name, count in found["constructs"].items():
        if name not in by_page or (count == 0 and by_page[name] >= 1000):
            yield f"{name}: {count} of {SLICE} Cases, {by_page.get(name, 'nothing')} of 100,000 by docs/reach.md"
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
