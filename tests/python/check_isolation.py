"""A case that ends its worker costs that case alone: `check_isolation.py BINARY [--hang]`.

With `--hang`, those that never end, under short limits of time.
"""

import json
import pathlib
import sys
import tempfile

from built_binary import GOOD_CASE, results_of, touchstone

# `planted_backends` spares tensors of 3 x 3: the first and the last file are harmless.
HARMLESS = GOOD_CASE.replace("(2, 3)", "(3, 3)")

DEADLY = {
    "torch:planted_backends:aborts": "Crashed",
    "torch:planted_backends:aborts_while_compiling": "Crashed",
    "torch:planted_backends:is_killed": "Crashed",
    "torch:planted_backends:fills_memory": "OutOfMemory",
    "torch:planted_backends:honest": "Agreed",
}
HANGING = {"torch:planted_backends:hangs": "TimedOut", "torch:planted_backends:honest": "Agreed"}
SHORT = ("--eager-seconds", "1", "--backend-seconds", "2")
# Few statements, hours of work.
ENDLESS = GOOD_CASE.replace(
    "    return torch.sin(x)",
    "    y = torch.ones((2000, 2000))\n    for i in range(50000):\n        y = torch.mm(y, y)\n    return y + x.sum()",
)


def main(_, mode=""):
    expected, limits = (HANGING, SHORT) if mode == "--hang" else (DEADLY, ())
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / name for name in ("first.py", "middle.py", "last.py")]
        for file, text in zip(files, (HARMLESS, GOOD_CASE, HARMLESS)):
            file.write_text(text)
        run = touchstone("run", *files, "--backends", ",".join(expected), "--json", *limits, timeout=600)
        endless = pathlib.Path(folder) / "endless.py"
        endless.write_text(ENDLESS)
        rows = results_of(run)
        stages = {each["backend"]: each["stage_backend"] for each in json.loads(run.stdout)["findings"]}
        troubles = [] if run.returncode == 1 else [f"exit status {run.returncode}: {run.stderr}"]
        if mode == "--hang":
            second = touchstone("run", files[0], endless, files[2], "--backends", "eager", "--json", *limits, timeout=600)
            rows += results_of(second)
    outcomes = {(pathlib.Path(row["file"]).name, row["backend"]): row for row in rows}
    wanted = {(file.name, name): "Agreed" for file in (files[0], files[2]) for name in expected}
    wanted |= {("middle.py", name): outcome for name, outcome in expected.items()}
    if mode == "--hang":
        wanted |= {("first.py", "eager"): "Agreed", ("endless.py", "eager"): "EagerTimedOut", ("last.py", "eager"): "Agreed"}
    for key, outcome in wanted.items():
        row = outcomes.get(key)
        if row is None or row["outcome"].partition("/")[0] != outcome:
            troubles.append(f"{key}: expected {outcome}, got {row}")
        elif outcome != "Agreed" and not row["message"]:
            troubles.append(f"{key}: nothing says how it ended")
    for name, outcome in expected.items():
        if outcome != "Agreed" and stages.get(name) != name:
            troubles.append(f"{name}: blamed on the stage of {stages.get(name)}")
    for key, row in outcomes.items():
        print(*key, row["outcome"], "|", row["message"].replace("\n", " | "))
    print("\n".join(troubles) or "the run has gone on each time")
    return 1 if troubles else 0


sys.exit(main(*sys.argv[1:]))
