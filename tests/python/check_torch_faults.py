"""Faults planted in what the installed PyTorch makes of a Program are seen, and their controls are not: `check_torch_faults.py BINARY
[--all | --part I/N] [--rewrite]`. Run with the Python that has PyTorch.

A fault has a Case, `tests/cases/torch_faults/NAME.py`, which expects what the fault makes of it; those in `plain/` are spared by every
fault. Without `--all` every control and a sixth of the faults are run, another sixth each day; `--part I/N` is part I of 1 to N of all.
`--rewrite` prints the table of faults for the C++ side, `backends/faults/TorchFaults.inc`, which otherwise must be as their docstrings say.
"""

import datetime
import hashlib
import importlib
import os
import re
import sys
import types

from built_binary import TESTS, results_of, touchstone

ROOT = TESTS.parent
CASES = TESTS / "cases" / "torch_faults"
TABLE = ROOT / "backends" / "faults" / "TorchFaults.inc"
SHARES = 6
JOBS = str(min(4, os.cpu_count() or 1))
SILENT = ("Agreed", "Vacuous")
SEARCH = "torch:fault:search"  # says which faults would change a graph


def all_faults():
    """By name, of the modules that the worker embeds."""
    bridge = types.ModuleType("touchstone_bridge")
    bridge.__path__ = [str(ROOT / "backends" / "torch_compile" / "bridge")]
    sys.modules[bridge.__name__] = bridge
    return importlib.import_module("touchstone_bridge.faults.table").all_faults()


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def row_of(fault):
    name = "k" + "".join(word.capitalize() for word in fault.fault_class.split("_"))
    cells = [
        quoted(fault.name),
        "ir::Family::kTorch",
        f"FaultClass::{name}",
        quoted(fault.stage),
        quoted(fault.what),
        quoted(fault.when),
    ]
    return "FaultRow{" + ", ".join([*cells, "true" if fault.is_control else "false"]) + "},\n"


def table_of(faults):
    head = "// The rows of the torch family, printed from the docstrings of its faults.\n// clang-format off\n"
    return head + "".join(row_of(each) for each in faults.values()) + "// clang-format on\n"


def share_of(name, shares):
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % shares


def chosen(faults):
    """Names of those that are to run."""
    if "--all" in sys.argv:
        return list(faults)
    if "--part" in sys.argv:
        part, parts = map(int, sys.argv[sys.argv.index("--part") + 1].split("/"))
        return [name for name in faults if share_of(name, parts) == part % parts]
    today = datetime.date.today().toordinal() % SHARES
    return [each.name for each in faults.values() if each.is_control or share_of(each.name, SHARES) == today]


def troubles_of_files(faults):
    held = {each.stem for each in CASES.glob("*.py")}
    yield from (f"{name}: no Case" for name in faults if name not in held)
    yield from (f"{name}.py: no such fault" for name in sorted(held - set(faults)))
    for name in held & set(faults):
        found = re.findall(r"^# expect: torch:fault:(\w+) (\w+)", (CASES / f"{name}.py").read_text(), re.MULTILINE)
        wanted = "Agreed" if faults[name].is_control else "a finding"
        if [each for each, _ in found] != [name] or (found[0][1] in SILENT) != faults[name].is_control:
            yield f"{name}.py expects {found}, not {wanted} of its fault"


def edits_of(names):
    """Those that edit graphs: the search says of the others that they may always bite."""
    return {name for name in names if all_faults()[name].stage not in ("runtime", "guards")}


def troubles_of_bites(names):
    """Each fault's own Case shows what it expects, and blames the fault."""
    files = [CASES / f"{name}.py" for name in names]
    run = touchstone("run", *files, "--json")
    rows = {row["backend"].rpartition(":")[2]: row for row in results_of(run) if ":fault:" in row["backend"]}
    edits = edits_of(names)
    found = {row["file"]: row["bites"] for row in results_of(touchstone("run", *files, "--backends", SEARCH, "--json"))}
    for name in names:
        row = rows.get(name)
        if row is None or not row["met"]:
            yield f"{name}: {row and row['outcome']}: {row and row['message']}"
        elif row["outcome"] not in SILENT and row["origin"] != row["backend"]:
            yield f"{name}: blamed on {row['origin']}"
        if row is not None and name in edits and row["outcome"] not in SILENT and name not in found[row["file"]]:
            yield f"{name}: {SEARCH} does not say that it bites in {row['file']}"


def troubles_of_plain_cases(names):
    backends = ",".join(f"torch:fault:{name}" for name in names)
    run = touchstone("run", CASES / "plain", "--backends", backends, "--json")
    rows = results_of(run)
    if len(rows) < len(names) * len(list((CASES / "plain").glob("*.py"))):
        yield f"only {len(rows)} results of plain Cases; {run.stderr}"
    yield from (f"{row['backend']}: {row['outcome']} of {row['file']}" for row in rows if row["outcome"] != "Agreed")
    # What says that most faults bite would save little.
    found = results_of(touchstone("run", CASES / "plain", "--backends", SEARCH, "--json"))
    edits = edits_of(names)
    yield from (f"{row['file']}: {len(edits & set(row['bites']))} of {len(edits)} faults are said to bite" for row in found
                if 2 * len(edits & set(row["bites"])) > len(edits))


def main():
    faults = all_faults()
    if "--rewrite" in sys.argv:
        TABLE.write_text(table_of(faults))
    troubles = (
        []
        if TABLE.read_text() == table_of(faults)
        else [f"{TABLE.name} is not what the docstrings say: --rewrite prints it"]
    )
    troubles += troubles_of_files(faults)
    names = chosen(faults)
    names = [name for name in names if (CASES / f"{name}.py").exists()]
    troubles += [*troubles_of_bites(names), *troubles_of_plain_cases(names)]
    print(
        "\n".join(troubles)
        or f"{len(names)} of {len(faults)} planted faults, each seen in its Case and silent in plain ones"
    )
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main())
