"""Judges the edge classes and the regressions natively: `check_edge_classes.py BINARY ROOT [--write]`.

Every file of corpus/edge_classes and corpus/regressions runs under both native AOT pipelines. No class and no shape may be
without a file, each outcome must be Agreed or a Limit whose text is listed below, and docs/edge_classes.md must be the table
that comes of it; `--write` writes that page. Prints the table.
"""

import pathlib
import re
import sys
import unittest

from built_binary import results_of, touchstone

ROOT = pathlib.Path(sys.argv[2]).resolve()
PAGE = ROOT / "docs" / "edge_classes.md"
NATIVE = ("aot_eager", "aot_eager_default_partitioner")
RECORDED = ("torch:aot_eager", "torch:aot_function", "torch:inductor")
LISTED, BESIDES, SHAPES = range(1, 63), range(63, 69), range(1, 36)
# What a Limit may say, by rule.
LIMIT_TEXTS = dict.fromkeys(("A8", "A16"), "has been modified by an inplace operation")

HEAD = """# Edge classes and regressions

For whoever implements or compares AOT autograd: the hard cases of mutation and aliasing, one file each, with what the native
pipeline and PyTorch's make of them.

The page lists every Case in `corpus/edge_classes/` and `corpus/regressions/`. The number in front of a file's name is its class: 1 to
62 are those of the list, 63 to 68 were added to it; a regression may be without a number. An outcome is Agreed, or a Limit with the
text that its rule in `docs/rules.md` is about. This page is written by `tests/python/check_edge_classes.py`, which judges the files
anew: change those, not the page.
"""


def cases_in(folder):
    return sorted((ROOT / "corpus" / folder).glob("*.py"))


def number_of(case):
    found = re.match(r"\d+", case.name)
    return int(found[0]) if found else None


def title_of(case):
    return re.search(r"^# note: (.+)$", case.read_text(), re.MULTILINE)[1]


def recorded(case, backend):
    """The outcome in the header; a backend without a line is expected to agree."""
    return " or ".join(re.findall(rf"^# expect: {re.escape(backend)} (\S+)", case.read_text(), re.MULTILINE)) or "Agreed"


def judge(cases):
    """The rows of `touchstone run`, by file and backend."""
    run = touchstone("run", *cases, "--backends", ",".join(NATIVE), "--json")
    rows = {(pathlib.Path(row["file"]), row["backend"]): row for row in results_of(run)}
    assert len(rows) == len(cases) * len(NATIVE), run.stderr
    return rows


def count_text(number, singular, plural):
    return f"{number} {singular if number == 1 else plural}"


def table(cases, rows, backends):
    lines = [f"| | what it is | file | {' | '.join(f'`{name}`' for name in backends)} |", "|" + "---|" * (3 + len(backends))]
    for case in cases:
        outcomes = [rows[case, name]["outcome"] if name in NATIVE else recorded(case, name) for name in backends]
        cells = [str(number_of(case) or ""), title_of(case).replace("|", "\\|"), f"`{case.name}`", *outcomes]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def page(edges, regressions, rows):
    numbers = {number_of(case) for case in edges}
    shapes = {number_of(case) for case in regressions} - {None}
    return (
        f"{HEAD}\n## {len(numbers & set(LISTED))} edge classes and {len(numbers & set(BESIDES))} besides them, "
        f"{count_text(len(edges), 'Case', 'Cases')}\n\n{table(edges, rows, NATIVE)}\n"
        f"## {len(shapes)} shapes of regressions, {count_text(len(regressions), 'Case', 'Cases')}\n\n"
        "What the installed PyTorch makes of them is recorded in the files, for the version that their headers name.\n\n"
        f"{table(regressions, rows, (*NATIVE, *RECORDED))}"
    )


class EdgeClasses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.edges, cls.regressions = cases_in("edge_classes"), cases_in("regressions")
        cls.rows = judge(cls.edges + cls.regressions)
        cls.page = page(cls.edges, cls.regressions, cls.rows)
        print(cls.page)
        if "--write" in sys.argv:
            PAGE.write_text(cls.page)

    def test_no_class_and_no_shape_is_without_a_case(self):
        self.assertEqual({number_of(case) for case in self.edges}, {*LISTED, *BESIDES})
        self.assertEqual({number_of(case) for case in self.regressions} - {None}, {*SHAPES})

    def test_every_case_agrees_or_reaches_a_limit_that_is_listed(self):
        unmet = []
        for (case, backend), row in self.rows.items():
            rule = row["outcome"].partition("Limit/")[2]
            listed = rule in LIMIT_TEXTS and LIMIT_TEXTS[rule] in row["message"]
            if row["outcome"] != "Agreed" and not listed:
                unmet.append(f"{case.name} under {backend}: {row['outcome']}: {row['message']}")
        self.assertEqual(unmet, [])

    def test_the_page_is_up_to_date(self):
        self.assertEqual(PAGE.read_text(), self.page, f"`{' '.join(sys.argv)} --write` writes it anew")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
