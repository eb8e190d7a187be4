"""The backends that are wrong on purpose are found by a campaign, reduced, and blamed on their own stage: `check_faulty_backends.py BINARY`."""

import json
import pathlib
import re
import sys
import tempfile

from built_binary import touchstone

CASES = 1000
OPERATIONS = 2  # at most, of a reduced finding
SYMPTOMS = {
    "relu_compile_error_TESTING_ONLY": "BackendRejected/compile/ReluCompileError",
    "relu_runtime_error_TESTING_ONLY": "InternalError/forward/AssertionError",
    "relu_accuracy_error_TESTING_ONLY": "Differs/values/output",
    "relu_out_of_bounds_TESTING_ONLY": "OutOfBounds/forward",
    "relu_uninitialized_TESTING_ONLY": "ReadsUninitialized/values/output",
    "rare_accuracy_error_TESTING_ONLY": "Differs/values/output",
    "non_leaf_compile_error_TESTING_ONLY": "BackendRejected/compile/TestingOnlyCompileError",
}
PHASES = {name: symptom.split("/")[1] for name, symptom in SYMPTOMS.items() if re.match("BackendRejected|InternalError|OutOfBounds", symptom)}


def trouble_of(backend, symptom):
    """Why a campaign does not show what is wrong with a backend; empty: it does."""
    with tempfile.TemporaryDirectory() as folder:
        run = touchstone("fuzz", "--cases", CASES, "--seed", 5, "--backends", backend, "--findings", folder,
                         "--max-findings", 1, "--reduce-seconds", 20, "--json")
        findings = json.loads(run.stdout)["findings"]
        if not findings:
            return f"{backend}: no finding in {CASES} Cases; exit status {run.returncode}: {run.stderr}"
        finding = findings[0]
        if finding["symptom"] != symptom or finding["origin"] != backend:
            return f"{backend}: {finding['symptom']} of {finding['origin']}"
        if finding["base"] != "Agreed":
            return f"{backend}: its base {finding['base']}"
        if finding["stage_backend"] != backend or not finding["stage"].startswith("WRONG ON PURPOSE: "):
            return f"{backend}: blamed on {finding['stage_backend']} ({finding['stage']})"
        if finding["phase"] != PHASES.get(backend, ""):
            return f"{backend}: raised in {finding['phase']}"
        if f"# stage: {backend} ({finding['stage']})\n" not in pathlib.Path(finding["file"]).read_text():
            return f"{backend}: {finding['file']} does not name the stage"
        if finding["operations"] > OPERATIONS:
            return f"{backend}: reduced to {finding['operations']} operations"
        again = touchstone("run", finding["file"], "--backends", backend, "--json")
        rows = json.loads(again.stdout)["results"]
        if not any(row["backend"] == backend and row["outcome"] != "Agreed" for row in rows):
            return f"{backend}: {finding['file']} does not show it again"
    return ""


def main():
    troubles = [text for text in (trouble_of(*entry) for entry in SYMPTOMS.items()) if text]
    print("\n".join(troubles) or f"{len(SYMPTOMS)} backends, each found wrong and reduced")
    return 1 if troubles else 0


sys.exit(main())
