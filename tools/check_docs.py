"""Checks that what the documents name exists.

docs/mission.md: every row with status done or part names a file and a test; both must exist. Files named in backticks in
docs/architecture.md must exist. Usage: check_docs.py [ROOT]; prints each problem and exits 1 when there is one.
"""

import pathlib
import re
import sys

STATUSES = {"open", "part", "**done**", "done", "**part**"}


def tests_of(root):
    """`folder.Suite.Test` of every GoogleTest, and `script:NAME` of every test that ctest runs from a script."""
    found = set()
    for source in sorted((root / "tests").glob("*/*.cpp")):
        folder = source.parent.name
        for suite, name in re.findall(r"\b(?:TEST(?:_F|_P)?|RC_GTEST(?:_FIXTURE)?_PROP)\(\s*(\w+)\s*,\s*(\w+)\s*[,)]", source.read_text()):
            found.add(f"{folder}.{suite}.{name}")
            found.add(f"{folder}.{suite}")
    for folder in ("tests", "bench"):
        for name in re.findall(r"(?:add_test\(\s*NAME\s+|touchstone_whole_program_test\()([\w.]+)", (root / folder / "CMakeLists.txt").read_text()):
            found.add(f"script:{name}")
    return found


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
            if name not in tests:
                problems.append(f"{where} names the test {name}, which does not exist")
    if rows < 100:
        problems.append(f"docs/mission.md has {rows} rows; the mission has more than 100")
    return problems


def check_architecture(root):
    text = (root / "docs" / "architecture.md").read_text()
    return [
        f"docs/architecture.md names {path}, which does not exist"
        for path in sorted(set(re.findall(r"`([\w./-]+/[\w./-]*)`", text)))
        if not path.startswith(("build", "findings", "/")) and not (root / path).exists()
    ]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    problems = check_mission(root, tests_of(root)) + check_architecture(root)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
