"""Writes outside memory and reads of memory that nobody wrote are found, ten of ten times: `check_memory_oracles.py BINARY`.

Cases of a campaign in which it shows what a relu gives (a backend that adds 1 instead says which) are fuzzed one by one, under the
backends that plant one fault of each kind in a relu. Each must be found, as what it is.
"""

import json
import pathlib
import sys
import tempfile

from built_binary import results_of, touchstone

SEED, CASES, WANTED = 5, 400, 10
OTHER_VALUES = "relu_accuracy_error_TESTING_ONLY"
PLANTED = {
    "relu_out_of_bounds_TESTING_ONLY": "OutOfBounds/forward",
    "relu_uninitialized_TESTING_ONLY": "ReadsUninitialized/values/",
}


def cases_with_relu(folder):
    """Indices of the Cases that return other values when a relu does."""
    made = touchstone("generate", "--seed", SEED, "--cases", CASES, "--out", folder)
    assert made.returncode == 0, made.stderr
    files = [file for file in sorted(pathlib.Path(folder).glob("*.py")) if "relu(" in file.read_text()]
    rows = results_of(touchstone("run", *files, "--backends", OTHER_VALUES, "--json"))
    shown = [row["file"] for row in rows if row["outcome"].startswith("Differs/values/")]
    return [int(pathlib.Path(file).stem.rpartition("-")[2]) for file in shown]


def trouble_of(index, backend, symptom):
    """Why a campaign of this one Case does not show the fault; empty: it does."""
    with tempfile.TemporaryDirectory() as folder:
        run = touchstone("fuzz", "--seed", SEED, "--start", index, "--cases", 1, "--backends", backend,
                         "--findings", folder, "--reduce-seconds", 0, "--json")
        told = json.loads(run.stdout)
        found = [each["symptom"] for each in told["findings"]]
        good = run.returncode == 1 and len(found) == 1 and found[0].startswith(symptom)
        return "" if good else f"case {index} under {backend}: {found or told['backends']}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        indices = cases_with_relu(folder)
    troubles = [] if len(indices) >= WANTED else [f"only {len(indices)} of {CASES} Cases show what a relu gives"]
    for backend, symptom in PLANTED.items():
        troubles += filter(None, (trouble_of(index, backend, symptom) for index in indices[:WANTED]))
    print("\n".join(troubles) or f"{len(PLANTED)} faults of memory, each found in {WANTED} of {WANTED} Cases")
    return 1 if troubles else 0


sys.exit(main())
