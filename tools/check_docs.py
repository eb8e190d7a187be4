"""Checks that what the documents name exists.

docs/mission.md: every row with status done or part names a file and a test; both must exist, and the test must be run: it is not disabled, does not
skip itself always, and, with the build folder, some test of ctest runs it. docs/testing.md: each row that is done has something
that was taken out, and a test that failed without it. On every page, files and folders of the
repository that stand in backticks or behind a link must exist, and so must the heading that a link names. docs/architecture.md has
a row for every room. Usage: check_docs.py [ROOT [BUILD]]; prints each problem and exits 1 when there is one.
"""

import pathlib
import re
import sys

import cpp_tests
import ctest_tests

STATUSES = {"open", "part", "**done**", "done", "**part**"}


class TestsOfTheRun:
    """Which tests there are, and whether the test run runs them. Without a build folder it is taken from the sources alone."""

    def __init__(self, root, build):
        self.ctest = ctest_tests.Ctest(build) if build else None
        self.reasons = {}  # why a GoogleTest is not run, empty where it is; by `folder.Suite.Test`
        for file in cpp_tests.sources(root):
            code = cpp_tests.code_of(file.read_text())
            for test in cpp_tests.tests_in(root, file, code):
                self.reasons[test.path] = cpp_tests.why_not_run(test, code) or self._why_ctest_does_not(test)
        self.scripts = set()
        for folder in ("tests", "bench"):
            text = (root / folder / "CMakeLists.txt").read_text()
            self.scripts |= set(re.findall(r"(?m)^[^#\n]*(?:add_test\(\s*NAME\s+|touchstone_whole_program_test\()([\w.]+)", text))

    def _why_ctest_does_not(self, test):
        if self.ctest is None:
            return ""
        run = self.ctest.gtests(test.folder)
        if run is None:
            return f"is not built: build {test.folder}_tests"
        return "" if f"{test.suite}.{test.name}" in run else "is run by no test of ctest"

    def problem_of(self, name):
        """What is wrong with a test that a row names: `folder.Suite`, `folder.Suite.Test` or `script:NAME`. Empty: nothing."""
        if name.startswith("script:"):
            if name[7:] not in self.scripts:
                return "does not exist"
            return "" if self.ctest is None or self.ctest.runs(name[7:]) else "is run by no test of ctest"
        reasons = [reason for path, reason in self.reasons.items() if path == name or path.startswith(name + ".")]
        if not reasons:
            return "does not exist"
        return "; ".join(sorted(set(reasons) - {""}))


def check_mission(root, tests):
    problems = []
    rows = 0
    text = (root / "docs" / "mission.md").read_text()
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not re.fullmatch(r"[A-Z]\d+", cells[0]):
            continue
        rows += 1
        where = f"docs/mission.md:{number}: row {cells[0]}"
        if len(cells) != 6:
            problems.append(f"{where} has {len(cells)} cells, not 6")
            continue
        _, _, status, files, test, _ = cells
        if status not in STATUSES:
            problems.append(f"{where}: status `{status}` is none of open, part, **done**")
        if status == "open":
            continue
        for file in re.findall(r"`([^`]+)`", files) or ["(none)"]:
            if not (root / file).exists():
                problems.append(f"{where} names the file {file}, which does not exist")
        for name in re.findall(r"`([^`]+)`", test) or ["(none)"]:
            problem = tests.problem_of(name)
            if problem:
                problems.append(f"{where} names the test {name}, which {problem}")
    if rows < 100:
        problems.append(f"docs/mission.md has {rows} rows; the mission has more than 100")
    return problems


def slug(heading):
    """The name under which a heading is linked."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def names_in(root, text):
    """What stands in backticks and is meant as a path from the root, or as the name of some C++ file."""
    tops = {path.name for path in root.iterdir() if path.is_dir() and not path.name.startswith((".", "build"))}
    for name in re.findall(r"`([\w./-]+)`", text):
        if name.partition("/")[0] in tops and "/" in name:
            yield name, (root / name).exists()


def check_page(root, page, sources):
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text())
    place = page.relative_to(root)
    missing = {name for name, exists in names_in(root, text) if not exists}
    missing |= {name for name in re.findall(r"`([A-Z]\w+\.(?:h|cpp))`", text) if name not in sources}
    problems = [f"{place} names {name}, which does not exist" for name in sorted(missing)]
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        file, _, heading = link.partition("#")
        target = page.parent / file if file else page
        if not target.exists():
            problems.append(f"{place} links to {link}, which does not exist")
        elif heading and heading not in map(slug, re.findall(r"(?m)^#+ (.*)$", target.read_text())):
            problems.append(f"{place} links to {link}, and {target.name} has no such heading")
    return problems


def check_rooms(root):
    """Each folder with sources of its own has a row in the table, and all but executables and public headers are in the picture."""
    text = (root / "docs" / "architecture.md").read_text()
    rows = set(re.findall(r"(?m)^\| `([\w/]+)/` \|", text))
    tops = ("base", "graph", "program", "generators", "oracles", "backends", "harness", "api", "include")
    rooms = {path.parent.relative_to(root).as_posix() for top in tops for path in (root / top).rglob("*") if path.suffix in (".h", ".cpp")}
    rooms -= {room for room in rooms if room.startswith("harness/fuzzers/")}
    problems = [f"docs/architecture.md has no row for {room}/" for room in sorted(rooms - rows)]
    problems += [f"docs/architecture.md has a row for {room}/, which holds no sources" for room in sorted(rows - rooms)]
    for file in ("architecture.dot", "architecture.svg"):
        words = set(re.findall(r"\w+", (root / "docs" / file).read_text().replace("\\n", " ")))
        problems += [f"docs/{file} has no box for {room}/" for room in sorted(rooms - {"harness/main", "include/touchstone"}) if room.split("/")[-1] not in words]
    return problems


def check_taken_out(root, tests):
    """Each row of the mission that is done stands in the table of what was taken out, or in a sentence of those that were not tried:
    `… that are done these were not: A1, B2.` The tests that the table names are run."""
    done = set(re.findall(r"(?m)^\| ([A-Z]\d+) \|[^|]*\| \*\*done\*\*", (root / "docs" / "mission.md").read_text()))
    _, _, text = (root / "docs" / "testing.md").read_text().partition("### What was taken out\n")
    text = re.split(r"(?m)^##+ ", text)[0]
    rows = re.findall(r"(?m)^\| ([^|]+) \|[^|]*\| ([^|]+) \|$", text)
    tried = {row for cell, _ in rows for row in re.findall(r"[A-Z]\d+", cell)}
    sentence = re.search(r"that are done these were not: ([^.]*)\.", text)
    left = set(re.findall(r"[A-Z]\d+", sentence.group(1))) if sentence else set()
    problems = [f"docs/testing.md does not say what was taken out for {row}, nor that nothing was" for row in sorted(done - tried - left)]
    problems += [f"docs/testing.md says that {row} was not tried, which it was, or which is not done" for row in sorted(left - (done - tried))]
    for name in sorted({name for _, cell in rows for name in re.findall(r"`((?:script:|[a-z_]+\.[A-Z])[\w.]+)`", cell)}):
        problem = tests.problem_of(name)
        if problem:
            problems.append(f"docs/testing.md has something taken out for the test {name}, which {problem}")
    return problems


def check_pages(root):
    tops = ("base", "graph", "program", "generators", "oracles", "backends", "harness", "api", "include", "tests", "cmake", "bench")
    sources = {path.name for top in tops for path in (root / top).rglob("*")}
    problems = []
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        problems += check_page(root, page, sources)
    return problems


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    build = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    tests = TestsOfTheRun(root, build)
    problems = check_mission(root, tests) + check_taken_out(root, tests) + check_pages(root) + check_rooms(root)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
