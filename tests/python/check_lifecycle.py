"""A finding from its first sight to its end, and back: `check_lifecycle.py BINARY`.

The bug is one of planted_causes, which the environment switches off: a retest says that it is fixed, and the store knows; when
it comes back, a campaign says so.
"""

import json
import pathlib
import sys
import tempfile

from built_binary import TESTS, touchstone

BACKEND = "torch:planted_causes:sum_behind_relu"
FLAGS = ["--base", "torch:aot_eager", "--python-path", TESTS / "python"]
STEERED = ["--operators", "relu,add,sub", "--without", "aliased_inputs,mutation,backward,modules"]


def campaign(folder, *arguments, **environment):
    run = touchstone("fuzz", "--backends", BACKEND, "--seed", 2, "--start", 4, "--cases", 1, "--jobs", 2, "--findings", folder, "--json", *FLAGS, *STEERED,
                     *arguments, **environment)  # fmt: skip
    return run.returncode, json.loads(run.stdout)


def retest(folder, *arguments, **environment):
    (profile,) = pathlib.Path(folder).glob("profile-*.json")  # that the campaign stored
    return touchstone("retest", folder, "--profile", profile, *arguments, **environment)


def statuses(folder):
    found = json.loads(touchstone("findings", folder, "--json").stdout)["findings"]
    return {each["id"]: each["status"] for each in found}


def check(name, holds, said):
    print(f"{'ok' if holds else 'FAILED'}: {name}" + ("" if holds else f": {said}"))
    return bool(holds)


def main():
    good = True
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        status, first = campaign(folder)
        clusters = sorted(each["id"] for each in first["findings"])
        good &= check("the planted bug is found", status == 1 and clusters, first["backends"])
        good &= check("they are new", set(statuses(folder).values()) == {"new"}, statuses(folder))

        there = retest(folder, "--json")
        rows = json.loads(there.stdout)["results"]
        good &= check("a retest finds them still there", all(each["status"] == "still there" for each in rows) and rows, rows)
        good &= check("and the store says that they are open", set(statuses(folder).values()) == {"open"}, statuses(folder))

        fixed = retest(folder, PLANTED_CAUSES="off")
        good &= check("mended, each is said to be fixed", fixed.stdout.count("fixed: remove me") >= len(clusters), fixed.stdout)
        good &= check("which needs a person", fixed.returncode == 1, fixed.returncode)
        good &= check("and the store says so", set(statuses(folder).values()) == {"fixed"}, statuses(folder))

        known = pathlib.Path(other) / "known.json"
        entries = [{"id": each, "backend": BACKEND, "cluster": each, "reason": "a test", "expires": "2999-12-31"} for each in clusters]
        known.write_text(json.dumps({"schema": 1, "known": entries}))
        status, _ = campaign(folder, "--known", known, PLANTED_CAUSES="off")
        good &= check("on a list of known findings they stay fixed until they are seen", status == 0 and set(statuses(folder).values()) == {"fixed"},
                      (status, statuses(folder)))  # fmt: skip

        status, back = campaign(folder)
        told = sorted(each["id"] for each in back["findings"] if each.get("regression"))
        good &= check("when they come back, that is told", status == 1 and told == clusters, (told, clusters))
        good &= check("and they are open", set(statuses(folder).values()) == {"open"}, statuses(folder))
    return 0 if good else 1


sys.exit(main())
