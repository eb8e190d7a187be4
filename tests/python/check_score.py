"""Planted faults are killed, controls are silent, and a score that was ended goes on: `check_score.py BINARY`."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

from built_binary import BINARY, touchstone

FAULTS = ["last_write_dropped", "view_result_copied", "mutation_not_written_back", "version_not_bumped", "broadcast_sum_averages", "later_tangents_ignored"]
CONTROLS = ["control_commuted", "control_dead_code_added"]
SURVIVES = "loop_unrolled_twice"  # the first Case
SCORE = ["score", "--faults", ",".join(FAULTS + CONTROLS), "--seed", 3, "--cpu-seconds", 30, "--control-cases", 40, "--half", "seen", "--json"]


def check(name, holds, said):
    print(f"{'ok' if holds else 'FAILED'}: {name}" + ("" if holds else f": {said}"))
    return bool(holds)


def kills(score):
    """What does not depend on the clock."""
    keys = ("name", "cases", "judged", "case", "outcome", "shows", "rung", "blamed", "attribution")
    (family,) = score["families"]
    return [{key: each.get(key) for key in keys} for each in family["faults"]]


def end_after_first_step(state):
    """Kills a score as soon as its state is there."""
    process = subprocess.Popen([str(BINARY), *map(str, SCORE), "--go-on", state], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not state.exists() and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.wait()
    return json.loads(state.read_text())


def main():
    run = touchstone(*SCORE)
    score = json.loads(run.stdout)
    (family,) = score["families"]
    good = check("six common faults are killed", score["faults"] == score["killed"] == len(FAULTS), run.stdout)
    good &= check("by name", sorted(each["name"] for each in family["faults"]) == sorted(FAULTS), family["faults"])
    good &= check("each after some Cases and seconds", all(each["cases"] == each["case"] + 1 and each["seconds"] > 0 for each in family["faults"]),
                  family["faults"])  # fmt: skip
    good &= check("the ladder names no other stage", all(each["attribution"] in ("right", "ambiguous") for each in family["faults"]), kills(score))
    whole = family["classes"][-1]
    good &= check("the row of all adds up", whole["name"] == "all" and whole["right"] + whole["ambiguous"] == whole["killed"] == len(FAULTS), whole)
    good &= check("the controls are silent", [(each["cases"], each["shown"]) for each in family["controls"]] == [(40, [])] * 2, family["controls"])
    good &= check("which is exit status 0", run.returncode == 0, run.stderr)

    with tempfile.TemporaryDirectory() as folder:
        state = pathlib.Path(folder) / "score.json"
        ended = end_after_first_step(state)
        good &= check("the state is written on the way", ended["families"][0]["next"] < family["cases"], ended)
        gone_on = touchstone(*SCORE, "--go-on", state)
        good &= check("what goes on comes to the same end", kills(json.loads(gone_on.stdout)) == kills(score), gone_on.stdout + gone_on.stderr)
        good &= check("whose state has it all", json.loads(state.read_text())["families"][0]["next"] == family["cases"], state.read_text())
        other = touchstone("score", "--go-on", state, "--seed", 4)
        good &= check("with another seed it does not go on", other.returncode == 2 and "--seed is 3 there and 4 here" in other.stderr, other.stderr)

    few = touchstone("score", "--faults", SURVIVES, "--seed", 3, "--cases", 1, "--require", 100)
    good &= check("fewer kills than required are exit status 4", few.returncode == 4 and "0.0 % of the faults" in few.stderr, few.stdout + few.stderr)
    good &= check("and the survivor is named", f"fault:{SURVIVES} (" in few.stdout, few.stdout)
    wrong = touchstone("score", "--faults", "view_result_copid")
    good &= check("a wrong name is told with the right one", wrong.returncode == 2 and "Did you mean `view_result_copied`?" in wrong.stderr, wrong.stderr)
    return 0 if good else 1


sys.exit(main())
