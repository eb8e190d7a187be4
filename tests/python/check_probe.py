"""A backend of one's own, probed: what it refuses and what ends it is found, and under the profile that is proposed a
campaign is valid and finds nothing: `check_probe.py BINARY SOURCE_FOLDER`."""

import json
import pathlib
import sys
import tempfile

from built_binary import touchstone

PROFILE = pathlib.Path(sys.argv[2]) / "examples" / "custom_backend" / "tidy.json"
FINE = ("sin", "mul", "mm", "cat", "argmax", "add_")
FAULTY = "cumsum*"  # the operator in each of its forms: its own, in place, into memory that is there
CASES = 90


def must(condition, *explanation):
    if not condition:
        raise AssertionError("\n".join(map(str, explanation)))


def check_listing():
    run = touchstone("backends", "--profile", PROFILE, "--json")
    rows = {row["name"]: row for row in json.loads(run.stdout)}
    must(rows["torch:tidy"]["available"], run.stdout, run.stderr)
    unknown = touchstone("run", PROFILE.parent, "--backends", "torch:tidy")
    must(unknown.returncode == 2 and "docs/profiles.md" in unknown.stderr, unknown.returncode, unknown.stderr)
    missing = touchstone("backends", "--profile", PROFILE, "--import", "no_such_module", "--json")
    rows = {row["name"]: row for row in json.loads(missing.stdout)}
    must("no_such_module" in rows["torch:tidy"]["reason"], missing.stdout)


def check_errors(folder):
    """What cannot be done or read ends the command before anything runs, with the reason."""
    mistake = folder / "mistake.json"
    mistake.write_text('{"dtyps": []}')
    for status, text, arguments in [
        (2, "mistake.json: there is no key `dtyps`. Did you mean `dtypes`?", ["--profile", mistake]),
        (2, "no_such.json", ["--profile", folder / "no_such.json"]),
        (2, "Did you mean `cumsum`?", ["--exclude-operators", "cumsun"]),
        (2, "say which in `backend`", ["--rules", "strict"]),
        (2, "`imports` is not available for native backends", ["--import", "mine", "--backends", "eager"]),
        (2, "call sequences", ["--sequences", "--dtypes", "float32"]),
        (3, "not available here", ["--device", "cuda"]),
        (3, "not available here", ["--no-fork"]),
    ]:
        run = touchstone("fuzz", "--cases", 1, *arguments)
        must(run.returncode == status and text in run.stderr, arguments, run.returncode, run.stderr)


def check_probe(proposed):
    run = touchstone("probe", "--profile", PROFILE, "--operators", ",".join([*FINE, FAULTY]), "--dtypes", "float32,float64,int64",
                     "--jobs", 2, "-o", proposed, "--json")
    must(run.returncode == 1, "a crash is a finding", run.returncode, run.stdout, run.stderr)
    found = json.loads(run.stdout)
    statuses = {(row["operator"], row["dtype"], row["pass"]): row for row in found["results"]}
    for operator in (*FINE, "cumsum"):
        row = statuses[operator, "float64", "forward"]
        must(row["status"] == "rejected" and row["class"] == "NotImplementedError", row)
        must(row["text"] == "tidy does not take float64", row)
        row = statuses[operator, "float32", "forward"]
        must(row["status"] == ("crashed" if operator == "cumsum" else "supported"), row)
    must(statuses["cumsum", "int64", "forward"]["finding"], statuses)
    must(statuses["mm", "float32", "backward"]["status"] == "supported", statuses)
    must(("argmax", "float32", "backward") not in statuses, "argmax has no backward")
    profile = json.loads(proposed.read_text())
    must([each["name"] for each in profile["excluded_dtypes"]] == ["float64"], profile)
    excluded = {each["name"]: each["why"] for each in profile["excluded_operators"]}
    must("cumsum" in excluded and all(name.startswith("cumsum") for name in excluded), profile)
    for name, why in excluded.items():  # each spelling of one of them asks for float64
        must(("float64" if name == "cumsum_dtype" else "Aborted") in why, profile)
    must(any("float64" in each["pattern"] for each in profile["unsupported"]), profile)
    must("operators" not in profile, "what narrowed the probe alone is not proposed", profile)
    return profile


def check_groups():
    """Operators that share a Case come to what they come to alone: fine, refused, without a Case, the end of the process."""
    runs = []
    for flags in ([], ["--one-by-one"]):
        run = touchstone("probe", "--profile", PROFILE, "--operators", "sin,mm,cumsum,nonzero,sum",
                         "--dtypes", "float32,float64", "--json", *flags)
        must(run.returncode == 1, run.returncode, run.stdout, run.stderr)
        runs.append(json.loads(run.stdout))
    together, alone = runs
    must(together["results"] == alone["results"], together["results"], alone["results"])
    must(together["profile"] == alone["profile"], together["profile"], alone["profile"])
    must(alone["cases"] == alone["probes"], alone["cases"], alone["probes"])
    must(together["cases"] != alone["cases"], "groups were tried", together["cases"])
    statuses = {row["status"] for row in together["results"]}
    must({"supported", "rejected", "crashed"} <= statuses, statuses)


def check_people():
    run = touchstone("probe", "--profile", PROFILE, "--operators", "cumsum,sin", "--dtypes", "float32", "--without",
                     "backward")
    must(run.returncode == 1, run.returncode, run.stderr)
    must("cumsum    C." in run.stdout and "C crashed: ended the process" in run.stdout, run.stdout)
    must("1 operator is not shown" in run.stdout and "FINDING cumsum float32 forward" in run.stdout, run.stdout)
    must("2 probes of `torch:tidy`" in run.stderr, run.stderr)


def check_time_bound():
    """What is done when the time is up is told; the dtypes come one after the other."""
    run = touchstone("probe", "--backend", "eager", "--seconds", 0.2, "--json")
    must(run.returncode == 0, run.returncode, run.stderr)
    found = json.loads(run.stdout)
    must(0 < len(found["results"]) < found["probes"] / 2, len(found["results"]), found["probes"])
    must("The time was up before" in run.stderr, run.stderr)
    dtypes = [row["dtype"] for row in found["results"] if row["pass"] == "forward"]
    must(dtypes.count("float32") >= dtypes.count("float64") >= dtypes.count("bool"), dtypes)


def check_campaign(proposed, folder):
    run = touchstone("fuzz", "--profile", proposed, "--cases", CASES, "--seed", 3, "--jobs", 2,
                     "--without", "aliased_inputs", "--findings", folder / "findings", "--json")
    must(run.returncode == 0, run.returncode, run.stdout, run.stderr)
    counts = json.loads(run.stdout)
    must(counts["cases"] == CASES and "Crashed" not in counts["backends"]["torch:tidy"], counts)
    for entry in ("excluded_dtypes float64", "excluded_operators cumsum", "features aliased_inputs"):
        must(0 < counts["exclusions"][entry] < CASES, counts["exclusions"])


def check_pattern(proposed, folder):
    """A refusal that the profile names is Unsupported, with that entry counted; without it, a finding."""
    case = folder / "float64.py"
    case.write_text(
        "# touchstone: 1\nimport torch\n\n\ndef inputs(seed, kind):\n"
        "    x = data((2, 3), torch.float64, (seed, 0), kind)\n    return (x,), ()\n\n\n"
        "def program(x):\n    return torch.sin(x)\n\n\n"
        'CALLS = [\n    dict(inputs="inputs", seed=1),\n    dict(inputs="inputs", seed=2),\n]\n'
    )
    run = touchstone("run", case, "--profile", proposed, "--json")
    row = json.loads(run.stdout)["results"][0]
    must(row["backend"] == "torch:tidy" and row["outcome"].startswith("Unsupported"), run.stdout)
    exclusions = json.loads(run.stdout)["exclusions"]
    must([count for entry, count in exclusions.items() if entry.startswith("unsupported ")] == [1], exclusions)
    run = touchstone("run", case, "--profile", PROFILE, "--json")
    must(json.loads(run.stdout)["results"][0]["outcome"].startswith("BackendRejected"), run.stdout)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        proposed = folder / "proposed.json"
        check_errors(folder)
        check_listing()
        check_probe(proposed)
        check_groups()
        check_people()
        check_time_bound()
        check_campaign(proposed, folder)
        check_pattern(proposed, folder)
    print("torch:tidy: listed, probed, and tested under the profile that was proposed")


main()
