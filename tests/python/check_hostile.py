"""500 hostile case files, and those of `hostile_python.py` and `hostile_constructs.py`: `check_hostile.py BINARY [SEED]`. Each is refused when
it is read, with its place, or comes to a bounded end; none does anything but tensor operations, neither here nor in PyTorch's worker."""

import pathlib
import re
import subprocess
import sys
import tempfile
import time

import hostile_constructs
import hostile_python
from built_binary import GOOD_CASE, TESTS, results_of, touchstone

COUNT = 500
SECONDS = 60
BOUNDED = ("EagerRejected", "BothRejected", "EagerTimedOut", "EagerCrashed", "OutOfMemory")
UNHARMED = {"unharmed-python.py": hostile_python.good(), "unharmed-constructs.py": hostile_constructs.good()}


def trouble(name, refused, outcomes):
    """What is wrong with what came of a file, if anything."""
    if name in UNHARMED:
        ran = outcomes.get("eager") == "Unsupported" and outcomes.get("torch:eager_python") == "Reference"
        return None if ran and not refused else f"{name}, which means no harm: {outcomes}"
    if name.startswith("refuse-"):
        return None if refused and not outcomes else f"{name} is not refused: {outcomes}"
    bounded = outcomes.get("eager", "").startswith(BOUNDED)
    return None if refused or bounded else f"{name} comes to {outcomes}"


def judged(folder, good, backends):
    """(exit status, name: whether it was refused with its place, name: backend: outcome) of the files of a folder."""
    run = touchstone("run", folder, good, "--backends", backends, "--json", "--memory-mib", "1024", cwd=folder.parent)
    outcomes = {}
    for row in results_of(run):
        outcomes.setdefault(pathlib.Path(row["file"]).name, {})[row["backend"]] = row["outcome"]
    names = sorted(file.name for file in folder.glob("*.py"))
    refused = {name: re.search(rf"/{re.escape(name)}:\d+:\d+: ", run.stderr) is not None for name in names}
    return run.returncode, refused, outcomes


def leaves_no_canary(folder):
    """The first payloads, run here: those that tell nothing."""
    canary = folder / "of-payload"
    silent = []
    for payload in hostile_constructs.PAYLOADS[: hostile_constructs.PLAIN]:
        eval(payload.replace("CANARY", str(canary)))
        if not canary.exists():
            silent.append(payload)
        canary.unlink(missing_ok=True)
    return silent


def main(_, seed="1"):
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        good = folder / "good.py"
        good.write_text(GOOD_CASE)
        assert touchstone("print", "--rewrite", good).returncode == 0
        generator = TESTS / "python" / "hostile_files.py"
        files, python, canaries = folder / "files", folder / "python", folder / "canaries"
        subprocess.run([sys.executable, generator, seed, str(COUNT), files, good, canaries], check=True)
        python.mkdir()
        texts = [(f"python-{i:03}", text) for i, text in hostile_python.files(canaries)]
        texts += [(f"constructs-{i:03}", text) for i, text in hostile_constructs.files(canaries)]
        for name, text in texts:
            (python / f"refuse-{name}.py").write_text(text, newline="")
        for name, text in UNHARMED.items():
            (python / name).write_text(text)
        total = len(list(files.iterdir())) + len(list(python.iterdir())) - len(UNHARMED)

        troubles = []
        seen = 0
        for each, backends in ((files, "eager"), (python, "eager,torch:eager_python")):
            status, refused, outcomes = judged(each, good, backends)
            troubles += [] if status == 2 else [f"exit status {status}"]
            troubles += filter(None, (trouble(name, was, outcomes.get(name, {})) for name, was in refused.items()))
            seen += len(refused)
            # The run has judged what was good, among all these.
            if outcomes.get("good.py", {}).get("eager") != "Agreed":
                troubles.append(f"the good file: {outcomes.get('good.py')}")
        if seen != total + len(UNHARMED) or total != COUNT + len(texts):
            troubles.append(f"{total} files, {seen} seen")
        # What is let in would be noticed.
        for name in UNHARMED:
            if trouble("refuse-" + name, refused[name], outcomes.get(name, {})) is None:
                troubles.append(f"{name} would have passed for a file that is refused")
        troubles += [f"foreign code has run: {canary}" for canary in canaries.iterdir()]
        troubles += [f"where Python runs it, this leaves no canary: {payload}" for payload in leaves_no_canary(canaries)]
        if sorted(path.name for path in folder.iterdir()) != ["canaries", "files", "good.py", "python"]:
            troubles.append(f"files have appeared: {sorted(folder.iterdir())}")
    seconds = time.monotonic() - begin
    print("\n".join(troubles) or f"{total} hostile files in {seconds:.1f} s")
    return 1 if troubles else 0


sys.exit(main(*sys.argv[1:]))
