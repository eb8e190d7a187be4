"""One planted difference of each observed property is reported as that property and no other, by Touchstone and by the `__main__` part of
the Case with nothing but PyTorch: `check_planted.py BINARY`. Run with the Python that has PyTorch.

`planted_backends` has a backend of the property's name. `tests/cases/planted/NAME.py` is the Case that shows it; without one it is that
of `values`, whose first output then differs.
"""

import contextlib
import io
import pathlib
import re
import sys
import tempfile

from built_binary import TESTS, results_of, touchstone

CASES = TESTS / "cases" / "planted"
BOTH = "values_and_strides"  # two differences planted at once
STRICT = "precision"  # is compared where numerics are strict alone


def properties():
    """The observed properties, as the documentation lists them."""
    table = (TESTS.parent / "docs" / "oracles.md").read_text().partition("| property | of |")[2].partition("\n\n")[0]
    return re.findall(r"^\| `(\w+)`", table, re.MULTILINE)


def planted():
    """The names of the backends."""
    return set(re.findall(r"^(\w+) = ", (TESTS / "python" / "planted_backends.py").read_text(), re.MULTILINE))


def case_of(name):
    own = CASES / f"{name}.py"
    shown_by_values = (CASES / "values.py").read_text()
    return own.read_text() if own.exists() else re.sub(r"(planted_backends:|Differs/)values\b", rf"\g<1>{name}", shown_by_values)


def troubles_of(name, row):
    """Of what `touchstone run` made of the Case."""
    if row is None:
        yield f"{name}: not judged"
    elif not row["outcome"].startswith(f"Differs/{name}/") or row["origin"] != row["backend"]:
        yield f"{name}: reported as {row['outcome']} of {row['origin']}"
    elif "also differ" in row["message"]:
        yield f"{name}: {row['message']}"


def run_main_part(text, *arguments):
    """Exit status, and what is said: all in this process, for one of its own would import torch each time."""
    import torch

    torch._dynamo.reset()
    torch.set_num_threads(1)
    said, sys.argv = io.StringIO(), ["case.py", *arguments]
    try:
        with contextlib.redirect_stdout(said):
            exec(compile(text, "case.py", "exec"), {"__name__": "__main__"})
    except SystemExit as end:
        return end.code, said.getvalue()
    return "no exit", said.getvalue()


def troubles_of_main_part(name, file):
    text = file.read_text()
    for arguments, wanted, words in (
        ([], 1, "differs\n"),
        (["--backend", "planted_backends:honest"], 0, "agrees\n"),
        (["--backend", "none"], 0, "agrees\n"),
    ):
        status, said = run_main_part(text, *arguments)
        if status != wanted or words not in said:
            yield f"{name}: its `__main__` part {' '.join(arguments)} exits with {status} and says:\n{said}"


def main():
    names = properties()
    troubles = [] if len(names) > 20 else [f"only {len(names)} properties in docs/oracles.md"]
    troubles += [f"{name}: no difference of it is planted" for name in names if name not in planted()]
    names = [name for name in names if name in planted()]
    with tempfile.TemporaryDirectory() as held:
        folder = pathlib.Path(held)
        for name in [*names, BOTH]:
            (folder / f"{name}.py").write_text(case_of(name))
        rows = {}
        strict = ("--numerics", "strict", "--backends", f"torch:planted_backends:{STRICT}")
        others = [folder / f"{name}.py" for name in [*names, BOTH] if name != STRICT]
        for run in (touchstone("run", *others, "--json"), touchstone("run", folder / f"{STRICT}.py", *strict, "--json")):
            rows |= {row["backend"].rpartition(":")[2]: row for row in results_of(run) if ":" in row["backend"]}
            troubles += [] if run.returncode == 0 else [f"exit status {run.returncode}: {run.stderr}"]
            troubles += [f"{row['file']} {row['backend']}: {row['outcome']}" for row in results_of(run) if not row["met"]]
        touchstone("print", "--rewrite", folder)
        for name in names:
            troubles += [*troubles_of(name, rows.get(name)), *troubles_of_main_part(name, folder / f"{name}.py")]
        both = rows.get(BOTH)
        if both is None or "also differ: strides" not in both["message"]:
            troubles.append(f"values and strides together: {both}")
    print("\n".join(troubles) or f"{len(names)} properties, each reported as what it is, and shown by plain Python")
    return 1 if troubles else 0


sys.exit(main())
