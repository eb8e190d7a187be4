"""500 hostile case files, and those of `hostile_python.py`: `check_hostile.py BINARY [SEED]`. Each is refused when it is read, with its
place, or comes to a bounded end; none does anything but tensor operations."""

import pathlib
import re
import subprocess
import sys
import tempfile
import time

import hostile_python
from built_binary import GOOD_CASE, TESTS, results_of, touchstone

COUNT = 500
SECONDS = 60
BOUNDED = ("EagerRejected", "BothRejected", "EagerTimedOut", "EagerCrashed", "OutOfMemory")


def main(_, seed="1"):
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        good = folder / "good.py"
        good.write_text(GOOD_CASE)
        assert touchstone("print", "--rewrite", good).returncode == 0
        generator = TESTS / "python" / "hostile_files.py"
        files, canaries = folder / "files", folder / "canaries"
        subprocess.run([sys.executable, generator, seed, str(COUNT), files, good, canaries], check=True)
        python = hostile_python.files(canaries)
        for number, text in python:
            (files / f"refuse-python-{number:03}.py").write_text(text)
        unharmed = files / "unharmed.py"
        unharmed.write_text(hostile_python.good())
        names = sorted(file.name for file in files.glob("*.py"))

        run = touchstone("run", files, good, "--backends", "eager", "--json", "--memory-mib", "1024", cwd=folder)
        rows = {pathlib.Path(row["file"]).name: row for row in results_of(run)}
        troubles = [] if run.returncode == 2 else [f"exit status {run.returncode}"]
        for name in names:
            refused = re.search(rf"/{re.escape(name)}:\d+:\d+: ", run.stderr) is not None
            outcome = rows[name]["outcome"] if name in rows else None
            if name == unharmed.name:
                if refused or outcome != "Unsupported":
                    troubles.append(f"{name}, which means no harm: {outcome}")
            elif name.startswith("refuse-") and not refused:
                troubles.append(f"{name} is not refused: {outcome}")
            elif not refused and (outcome is None or not outcome.startswith(BOUNDED)):
                troubles.append(f"{name} comes to {outcome}")
        if len(names) != COUNT + len(python) + 1:
            troubles.append(f"{len(names)} files")
        # The run has judged what was good, among all these.
        if "good.py" not in rows or rows["good.py"]["outcome"] != "Agreed":
            troubles.append(f"the good file: {rows.get('good.py')}")
        troubles += [f"foreign code has run: {canary}" for canary in canaries.iterdir()]
        if sorted(path.name for path in folder.iterdir()) != ["canaries", "files", "good.py"]:
            troubles.append(f"files have appeared: {sorted(folder.iterdir())}")
    seconds = time.monotonic() - begin
    print("\n".join(troubles) or f"{COUNT + len(python)} hostile files, {len(rows) - 2} of them judged, in {seconds:.1f} s")
    return 1 if troubles else 0


sys.exit(main(*sys.argv[1:]))
