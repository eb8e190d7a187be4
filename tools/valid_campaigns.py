"""Shows for every backend that a campaign at default settings is valid: that enough of it tested anything.

    python tools/valid_campaigns.py build/harness/touchstone [--backends NAME,NAME] [--profile FILE]...

Runs `touchstone fuzz --require-valid --judge-only` for each backend of `touchstone backends` that is not wrong on purpose, and
for that of each profile, and prints one table: a row a backend, a column a figure. Exits with 1 when a campaign is not valid,
or could not be run. docs/fuzzing.md says what the figures are.
"""

import argparse
import json
import subprocess
import sys
import tempfile

FINE, NOT_VALID = 0, 4
COLUMNS = (
    ["backend", "Cases", "rejected by eager", "refused", "vacuous", "operations", "aliased", "mutation", "backward", "changed"]
    + ["judged calls a compile", "other outcomes", "valid"]
)


def backends_of(program):
    listing = json.loads(subprocess.run([program, "backends", "--json"], check=True, capture_output=True, text=True).stdout)
    for row in listing:
        if row["available"] and "TESTING_ONLY" not in row["name"] and ":package.module" not in row["name"]:
            yield row["name"]


def cases_for(backend, options):
    if not backend.startswith("torch:"):
        return options.native_cases
    return options.inductor_cases if "inductor" in backend else options.torch_cases


def run(options, choice, cases):
    command = [options.touchstone, "fuzz", "--cases", str(cases), "--seed", str(options.seed), "--jobs", str(options.jobs)]
    with tempfile.TemporaryDirectory() as findings:
        command += [*choice, "--require-valid", "--judge-only", "--json", "--findings", findings]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (FINE, NOT_VALID):
        sys.exit(f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def row_of(report):
    backend, outcomes = next(iter(report["backends"].items()))
    figures = report["validity"]

    def figure(text):
        found = [each for each in figures if text in each["name"]]
        return found[0]["value"] + ("" if found[0]["holds"] else " !") if found else "-"

    effort = report["effort"][backend]
    calls = f"{effort['calls_judged'] / effort['compiled']:.1f}" if effort["compiled"] else "-"
    others = ", ".join(f"{name} {count}" for name, count in sorted(outcomes.items()) if name != "Agreed" and count)
    names = ("EagerRejected", "Unsupported +", "Vacuous", "operations that reach", "aliased", "mutation", "backward", "changed")
    return (
        [backend, str(report["cases"]), *(figure(name) for name in names), calls, others]
        + ["yes" if all(each["holds"] for each in figures) else "NO"]
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("touchstone", help="the program")
    parser.add_argument("--backends", help="only these, separated by commas (default: all)")
    parser.add_argument("--profile", action="append", default=[], help="also the backend of this profile; may be repeated")
    parser.add_argument("--seed", type=int, default=5, help="of the campaigns (default 5)")
    parser.add_argument("--jobs", type=int, default=1, help="as of `touchstone fuzz`")
    parser.add_argument("--native-cases", type=int, default=3000, help="Cases for a native backend (default 3000)")
    parser.add_argument("--torch-cases", type=int, default=300, help="for one of the installed PyTorch (default 300)")
    parser.add_argument("--inductor-cases", type=int, default=60, help="for Inductor, which takes seconds a Case (default 60)")
    options = parser.parse_args()
    names = options.backends.split(",") if options.backends else list(backends_of(options.touchstone))
    choices = [(["--backends", name], cases_for(name, options)) for name in names]
    choices += [(["--profile", profile], options.torch_cases) for profile in options.profile]
    print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS), flush=True)
    valid = True
    for choice, cases in choices:
        row = row_of(run(options, choice, cases))
        valid = valid and row[-1] == "yes"
        print("| " + " | ".join(row) + " |", flush=True)
    return 0 if valid else 1


if __name__ == "__main__":
    sys.exit(main())
