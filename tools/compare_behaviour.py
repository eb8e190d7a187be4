"""Does a change leave alone what Touchstone finds, prints and exits with?

    python tools/compare_behaviour.py record BINARY FILE     # before: what this program does, into FILE (gzip of JSON)
    python tools/compare_behaviour.py check BINARY FILE      # after: says what is another; exit status 1 then, else 0
    python tools/compare_behaviour.py check --quick BINARY FILE      # only the first tenth of it, between small steps

Compared are

- generated Cases: the text of each, and what it comes to under each of six native backends, and some under
  torch:aot_eager: outcome, place, blame, calls, message, warnings; counts by outcome, graphs, rules that excused
  something;
- the files of the corpus, under the native backends and under those that they expect something of (not those of
  --leave-out, by default torch:inductor, which takes seconds a file);
- campaigns of `aot_eager`, TorchScript and three backends that are wrong on purpose, and one of torch:aot_eager: summaries,
  events, findings with their symptoms, stages and reduced texts, suppressions, what the store says;
- what some forty commands print, write and exit with, errors of use among them.

A difference is named by its Case, file or command, and the command that makes a generated Case is printed.

What is taken out first, since it is another at every run:

- times: numbers in front of ` s`, ` ms` and ` seconds`; times of day; lines of progress; in JSON the fields `seconds`,
  `…_seconds`, `compile_times`, `begun`, `ended`, `seen`, `first_seen`, `last_seen`, `status_since` and `tested`;
- in JSON the fields `campaign`, a random id, and `cpu` and `cores`;
- addresses: 0x and six digits or more, and those of objects in Dynamo's guards, which `explain` shows of a backend of the
  installed PyTorch;
- the folder of this run, that of the program, that of the repository, and the random letters of temporary folders;
- events `counts`, which come by the clock.

A record depends on what floating-point kernels give, so on the processor, and on libtorch and the installed PyTorch; on
the Cases, so on the catalogue of operators; and on the corpus. It is made to be compared with on the same machine, and is
not to be committed. It says which processor and PyTorch it was made with, and `check` says where they are others. Nothing
may end by the clock: on a machine so busy that a Case does not end in its time (30 seconds of the processor, four times as
many on the clock), differences are shown that are none. The number of processes changes nothing.
"""

import argparse
import collections
import difflib
import gzip
import hashlib
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FORMAT = 1
QUICK, REST = "first tenth", "rest"
TODAY = "2027-01-01"

WRONG = "relu_accuracy_error_TESTING_ONLY"
WRONG_IN_CAMPAIGN = [WRONG, "relu_runtime_error_TESTING_ONLY", "rare_accuracy_error_TESTING_ONLY"]
NATIVE = ["eager", "aot_eager", "aot_eager_default_partitioner", "aot_eager_decomp_partition", "aot_ts", WRONG]
TORCH = "torch:aot_eager"


class Commands:
    """Every command, flag and file name of Touchstone that this script knows."""

    @staticmethod
    def generate(seed, start, cases, calls, folder):
        return ["generate", "--seed", seed, "--start", start, "--cases", cases, "--calls", calls, "--out", folder]

    @staticmethod
    def generated_file(folder, index):
        return f"{folder}/case-{index}.py"

    @staticmethod
    def run(files, backends, jobs):
        return ["run", *files, *(["--backends", ",".join(backends)] if backends else []), "--jobs", jobs, "--json"]

    @staticmethod
    def fuzz(seed, start, cases, backends, folder, jobs):
        return ["fuzz", "--seed", seed, "--start", start, "--cases", cases, "--backends", ",".join(backends), "--jobs", jobs,
                "--findings", folder, "--reduce-seconds", 3600, "--today", TODAY]  # fmt: skip

    JSON = ["--json"]
    TEST_TOOL = "touchstone-test-tool"  # lies beside the program
    OF_TEST_TOOL = [["recompiles"]]

    @staticmethod
    def describe_torch():
        return ["run", "corpus/features/three_relus.py", "--backends", "eager", "--json"]

    @staticmethod
    def events(file):
        return ["--events", file]

    @staticmethod
    def findings(folder):
        return ["findings", folder, "--json"]

    @staticmethod
    def small(part, findings):
        """The commands whose output is compared as it is printed; what they write goes into the folder `written`."""
        edge, feature, found = "corpus/edge_classes/", "corpus/features/", "corpus/found/"
        relus = feature + "three_relus.py"
        if part == QUICK:
            return [
                ["ops"],
                ["ops", "--json", "--cases", 100, "--seed", 3],
                ["backends"],
                ["backends", "--json"],
                ["print", relus, edge + "53_all_three_alias_kinds.py", feature + "custom_function.py"],
                ["explain", feature + "two_graph_breaks.py"],
                ["explain", feature + "two_graph_breaks.py", "--json"],
                ["explain", edge + "63_requires_grad_differs_from_trace_time.py", "--call", 1],
                ["dump", edge + "38_mutation_and_view_output.py", "--stage", "joint"],
                ["dump", edge + "62_everything_at_once.py", "--stage", "joint"],
                ["dump", edge + "62_everything_at_once.py", "--json"],
                ["dump", edge + "22_starts_to_require_grad.py", "--backend", "aot_eager_decomp_partition"],
                ["dump", feature + "linear_module.py", "--stage", "forward", "--python"],
                ["dump", feature + "linear_module.py", "--stage", "functional", "--dot", "written/graph.dot"],
                ["ladder", relus, "--family", "native"],
                ["ladder", edge + "62_everything_at_once.py", "--family", "native"],
                ["bisect", relus, "--backend", WRONG],
                ["reduce", relus, "--backend", WRONG],
                ["reduce", "--list-passes"],
                ["suppress", relus, "--backend", WRONG],
                ["recompiles", "--seed", 3, "--cases", 40, "--backends", "eager,aot_eager"],
                ["compare-devices", "corpus/regressions/01_alias_pattern_changes_between_calls.py", relus],
                ["run", relus, "--backends", ",".join(["eager", WRONG, "ts"])],
                ["run", findings],
                ["retest", findings],
                ["export", "--pytest", "written/exported", found + "write_through_no_op_dropout.py", findings],
                ["findings", findings],
                ["merge", "merged", findings],
                ["run", "there_is_no_such_file.py"],
                ["run", relus, "--backends", "aot_eage"],
                ["fuzz", "--cases", 0],
                ["dump", relus, "--stage", "none"],
                ["ladde", relus],
                ["print", "unreadable"],
                [],
            ]
        return [
            ["compare-devices", "corpus/edge_classes"],
            ["recompiles", "--seed", 4, "--cases", 200, "--backends", "eager,aot_eager"],
            ["diff", "--left", "aot_eager", "--right", "rare_accuracy_error_TESTING_ONLY", "--cases", 300, "--seed", 1,
             "--reduce-seconds", 3600, "--findings", "written/diff"],
            ["probe", "--backend", "ts", "--operators", "mm,cat,sum*", "--output", "written/proposed.json"],
            ["equivalence", "--cases", 8, "--seed", 1],
            ["ladder", found + "write_through_no_op_dropout.py", "--family", "torch"],
            ["explain", feature + "two_graph_breaks.py", "--backend", TORCH],
        ]  # fmt: skip

    @staticmethod
    def with_jobs(arguments, jobs):
        """The arguments, with that many processes where the command can use them."""
        return [*arguments, "--jobs", jobs] if arguments[:1] in (["recompiles"], ["retest"], ["probe"]) else arguments

    @staticmethod
    def canonical(files):
        return ["print", *files]

    SUPPRESSION = ".suppression.json"
    FIRST_LINE = "# touchstone: 1\n"  # of a case file
    MAIN_PART = '\nif __name__ == "__main__":'  # of a case file; depends on the lines of `expectation`
    FINDINGS = ["Crashed", "OutOfBounds", "TimedOut", "OutOfMemory", "Differs", "ReadsUninitialized", "InternalError",
                "BackendRejected", "NoneBecameZero"]  # outcomes that are findings  # fmt: skip

    @staticmethod
    def expectation(backend, outcome=""):
        return f"# expect: {backend} {outcome}"


PROGRESS = re.compile(r"^\d+ s, \d+ Cases, .*\n", re.MULTILINE)
UNSTABLE_FIELDS = re.compile(
    r"seconds|.*_seconds|compile_times|cpu|cores|begun|ended|campaign|(first|last)_seen|seen|status_since|tested"
)
UNSTABLE_TEXTS = [
    (re.compile(r"\b\d+(\.\d+)?(e-?\d+)?(?= (s|ms|seconds)\b)"), "N"),
    (re.compile(r"\b0x[0-9a-f]{6,}\b"), "ADDRESS"),
    (re.compile(r"(___check_\w*id\(.*?, )\d{9,}\b"), r"\1ADDRESS"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?Z?)?"), "TIME"),
    (re.compile(r"\b(touchstone_\w+_)\w{6}\b"), r"\1RANDOM"),
]


class Program:
    """The program under test, run in a folder of its own."""

    def __init__(self, binary, work, given):
        self.binary = pathlib.Path(binary).resolve()
        tool = self.binary.with_name(Commands.TEST_TOOL)
        self.test_tool = tool if tool.exists() else self.binary  # once, its commands were those of the program
        self.work = pathlib.Path(work).resolve()
        self.jobs = given.jobs
        self.begin = time.monotonic()
        self.places = sorted(
            [(str(self.work) + "/", ""), (str(self.work), "WORK"), (str(self.binary.parent), "PROGRAM"), (str(ROOT), "ROOT")],
            key=lambda place: -len(place[0]),
        )
        self.environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        self.environment.pop("TOUCHSTONE_COMMAND", None)

    def say(self, text):
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        clock, processor = time.monotonic() - self.begin, used.ru_utime + used.ru_stime
        print(f"[{clock:4.0f} s, {processor:4.0f} s of the processor] {text}", file=sys.stderr, flush=True)

    def stable(self, text):
        for place, name in self.places:
            text = text.replace(place, name)
        for pattern, name in UNSTABLE_TEXTS:
            text = pattern.sub(name, text)
        return text

    def stable_json(self, value):
        if isinstance(value, dict):
            return {key: self.stable_json(each) for key, each in value.items() if not UNSTABLE_FIELDS.fullmatch(key)}
        if isinstance(value, list):
            return [self.stable_json(each) for each in value]
        return self.stable(value) if isinstance(value, str) else value

    def call(self, arguments):
        """Exit status, and the two streams as they came."""
        binary = self.test_tool if arguments[:1] in Commands.OF_TEST_TOOL else self.binary
        command = [str(binary), *map(str, arguments)]
        done = subprocess.run(command, cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace")  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def stable_output(self, text):
        """Of JSON, and of lines of JSON, without the fields that are not stable."""
        try:
            return json.dumps(self.stable_json(json.loads(text)), indent=1)
        except ValueError:
            pass
        try:
            return "\n".join(json.dumps(self.stable_json(json.loads(line))) for line in text.splitlines())
        except ValueError:
            return self.stable(text)

    def texts(self, arguments):
        """What a person sees, as a record."""
        status, output, errors = self.call(arguments)
        return {"exit status": status, "stdout": self.stable_output(output), "stderr": self.stable(PROGRESS.sub("", errors))}

    def files_in(self, folder, *endings):
        """What the files of the folder with these endings hold, by name."""
        files = sorted(each for each in (self.work / folder).rglob("*") if each.name.endswith(endings) and each.is_file())
        return {str(each.relative_to(self.work / folder)): self.stable(each.read_text(errors="replace")) for each in files}

    def objects(self, arguments):
        """The JSON that a command prints, and a record of the rest."""
        status, output, errors = self.call(arguments)
        rest = {"exit status": status, "stderr": self.stable(PROGRESS.sub("", errors))}
        try:
            return self.stable_json(json.loads(output)), rest
        except ValueError:
            return {}, {**rest, "stdout, which is no JSON": self.stable(output)}


def hash_of(text):
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def row_text(row):
    """One line for a judgement; more where there is a message."""
    text = f"{row['outcome']}, {row['calls_judged']} of {row['calls']} calls"
    text += f", {row['origin']} is to blame" if row["origin"] else ""
    text += "" if row["met"] else f", not as expected: {row['expected'] or 'Agreed'}"
    return "\n".join([text, *row["message"].splitlines(), *(f"warning: {each}" for each in row["warnings"])])


def judged(program, names, backends, jobs):
    """What `run` makes of the files, by file and backend; `names` has the name of each that the record uses."""
    report, rest = program.objects(Commands.run(names, backends, jobs))
    cases = collections.defaultdict(dict)
    for row in report.pop("results", []):
        cases[names.get(row["file"], row["file"])][row["backend"]] = row_text(row)
    findings = {f"{names.get(each['file'], each['file'])} {each['backend']}": each for each in report.pop("findings", [])}
    return cases, {**rest, "summary": report, "unmet": findings}


def with_expectations(text, backends, outcomes):
    """A case file that is as expected, whatever of these it comes to: what a finding's stage is takes no time then."""
    lines = [f"{Commands.expectation(backend, outcome)}\n" for backend in backends for outcome in ["Agreed", *outcomes]]
    begin, _, rest = text.partition(Commands.MAIN_PART)[0].partition(Commands.FIRST_LINE)
    return "".join([begin, Commands.FIRST_LINE, *lines, rest.rstrip(), "\n"])


def generated_cases(program, settings, kind, start, count):
    """Makes Cases, and judges them."""
    options = settings[kind]
    folder = f"{kind}-{start}"
    program.say(f"{kind}: Cases {start} to {start + count - 1} under {', '.join(options['backends'])}")
    made = program.texts(Commands.generate(settings["seed"], start, count, options["calls"], folder))
    paths = {Commands.generated_file(folder, index): f"Case {index}" for index in range(start, start + count)}
    present = {path: name for path, name in paths.items() if (program.work / path).exists()}
    texts = {path: (program.work / path).read_text() for path in present}
    if options["expects"]:
        for path, text in texts.items():
            (program.work / path).write_text(with_expectations(text, options["backends"], options["expects"]))
    cases, rest = judged(program, present, options["backends"], program.jobs)
    result = {"making them": made}
    for path, name in paths.items():
        text = hash_of(texts[path]) if path in texts else "could not be made"
        result[name] = {"hash of its text": text, **cases[name]}
    return {**result, "all together": rest}


def without_expectations(text, backends):
    """A case file that expects nothing of these backends. Its `__main__` part goes, since it depends on what is expected."""
    kept = [line for line in text.splitlines() if not line.startswith(tuple(Commands.expectation(each) for each in backends))]
    return "\n".join(kept).partition(Commands.MAIN_PART)[0].rstrip() + "\n"


def canonical_forms(program, files):
    """Hashes of the files as they are printed, in their order; behind them what else there is to say."""
    status, output, errors = program.call(Commands.canonical(files))
    before, *texts = output.split(Commands.FIRST_LINE)
    rest = {"exit status": status, "stderr": program.stable(errors), "stdout before the first": program.stable(before)}
    hashes = [hash_of(text) for text in texts[: len(files)]]
    hashes += ["nothing was printed"] * (len(files) - len(hashes))
    return [*hashes, {**rest, "how many": len(texts)}]


def corpus_files(program, settings, part):
    """The files of the corpus under the native backends, and each under those that it names."""
    corpus = program.work / "corpus"
    files = [str(each.relative_to(corpus)) for each in sorted(corpus.rglob("*.py"))]
    files = [file for number, file in enumerate(files) if (number % 10 == 0) == (part == QUICK)]
    native = settings["native"]["backends"]
    program.say(f"corpus: {len(files)} files under {', '.join(native)}")
    cases, together = judged(program, {f"corpus/{file}": file for file in files}, native, program.jobs)
    forms = canonical_forms(program, [f"corpus/{file}" for file in files])
    result = {}
    for number, file in enumerate(files):
        text = (corpus / file).read_text()
        copy = program.work / "expected" / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(without_expectations(text, settings["leave_out"]))
        result[file] = {"hash of its text": hash_of(text), "hash of its canonical form": forms[number], **cases[file]}
    program.say(f"corpus: {len(files)} files under the backends that they expect something of")
    names = {f"expected/{file}": file for file in files}
    cases, expected = judged(program, names, [], max(1, program.jobs // 2))  # workers of both families
    for file in files:
        result[file].update({f"{backend}, as the file names it": text for backend, text in cases[file].items()})
    return {**result, "canonical forms": forms[len(files)], "all together": together, "all together, as they expect": expected}


def campaign(program, settings, kind, start, count):
    """A campaign: its summary, events and findings, the files that it leaves, what its store says."""
    options = settings[kind]
    folder = f"findings-{kind.replace(' ', '-')}-{start}"
    events = f"{folder}.jsonl"
    program.say(f"campaign: Cases {start} to {start + count - 1} under {', '.join(options['backends'])}")
    command = Commands.fuzz(settings["seed"], start, count, options["backends"], folder, program.jobs)
    report, rest = program.objects([*command, *Commands.JSON, *Commands.events(events)])
    findings = {f"{each['id']} {each['backend']}": each for each in report.pop("findings", [])}
    lines = (program.work / events).read_text().splitlines() if (program.work / events).exists() else []
    told = [program.stable_json(json.loads(line)) for line in lines]
    return {
        **rest,
        "summary": report,
        "findings": findings,
        "events": {str(number): event for number, event in enumerate(each for each in told if each["event"] != "counts")},
        "files": program.files_in(folder, ".py", Commands.SUPPRESSION),
        "store": program.texts(Commands.findings(folder)),
    }


def commands(program, part, findings):
    """What commands print and exit with, and the text files that they write."""
    program.say(f"commands, {part}")
    result = {}
    for each in Commands.small(part, findings):
        result[" ".join(["touchstone", *map(str, each)])] = program.texts(Commands.with_jobs(each, program.jobs))
    return {**result, "files that they wrote": program.files_in("written", ".py", ".json", ".dot")}


def behaviour_of(program, settings, part):
    """All that is compared, of the first tenth or of the rest."""

    def span(kind):
        quick, all_cases = settings[kind]["quick cases"], settings[kind]["cases"]
        return (0, quick) if part == QUICK else (quick, all_cases - quick)

    result = {}
    for kind in ("native", "torch"):
        result[f"{kind} Cases"] = generated_cases(program, settings, kind, *span(kind))
    result["corpus"] = corpus_files(program, settings, part)
    for kind in ("native campaign", "torch campaign"):
        result[kind] = campaign(program, settings, kind, *span(kind))
    result["commands"] = commands(program, part, "findings-native-campaign-0")
    return result


def differences(before, after, path=()):
    """Where two records are not the same: the path, and both values."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from differences(before.get(key), after.get(key), (*path, key))
    elif before != after:
        yield path, before, after


def shown(value):
    if value is None:
        return ["(nothing)"]
    return (value if isinstance(value, str) else json.dumps(value, indent=1)).splitlines() or ["(empty)"]


def difference_text(path, before, after, most=16):
    """A difference in few lines: both values, or what of many lines is not the same."""
    old, new = shown(before), shown(after)
    if max(len(old), len(new)) <= 4:
        lines = [f"before  {line}" for line in old] + [f"after   {line}" for line in new]
    else:
        lines = list(difflib.unified_diff(old, new, n=1, lineterm=""))[2:]
        lines = lines if len(lines) <= most else [*lines[:most], f"… {len(lines) - most} more lines"]
    return "\n".join([" / ".join(path), *(f"    {line}" for line in lines)])


def case_command(settings, path):
    """What makes the Case of a difference, if it has one."""
    kind, name = path[1].split()[0], path[2] if len(path) > 2 else ""
    if path[1] not in ("native Cases", "torch Cases") or not re.fullmatch(r"Case \d+", name):
        return ""
    index = int(name.split()[1])
    arguments = Commands.generate(settings["seed"], index, 1, settings[kind]["calls"], "cases")
    return "    the Case: touchstone " + " ".join(map(str, arguments))


def read_record(file):
    with gzip.open(file, "rt") as stream:
        record = json.load(stream)
    if record.get("format") != FORMAT:
        sys.exit(f"`{file}` is no record that this script can read; record it anew.")
    return record


def write_record(file, record):
    with open(file, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as packed:
        packed.write(json.dumps(record, separators=(",", ":")).encode())


def machine(program):
    """What a record depends on, beside the program."""
    found = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    report = program.objects(Commands.describe_torch())[0]
    return {"processor": found.group(1) if found else "unknown", "PyTorch": report.get("torch", "unknown")}


def prepare(program, corpus):
    (program.work / "corpus").symlink_to(corpus.resolve())
    (program.work / "written").mkdir()
    (program.work / "unreadable").mkdir()
    (program.work / "unreadable" / "case.py").write_text("# touchstone: 1\nimport os\n")


def counts(part):
    """Judgements by outcome, for a person."""
    result = collections.Counter()
    for kind in ("native Cases", "torch Cases"):
        for outcomes in part[kind]["all together"]["summary"]["backends"].values():
            result.update(outcomes)
    return ", ".join(f"{name} {count}" for name, count in result.most_common())


def tell(settings, before, after, most):
    """Prints what is another, and how much of it there is; how many places."""
    found = collections.Counter()
    made = set()
    for path, old, new in differences(before, after):
        group = " / ".join(path[:2])
        found[group] += 1
        if found[group] <= most:
            print(difference_text(path, old, new))
            command = case_command(settings, path)
            if command and command not in made:
                print(command)
                made.add(command)
    for group, count in found.items():
        print(f"{group}: {count} differences" + (f", {most} of them above; --most shows more" if count > most else ""))
    return found.total()


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["record", "check"])
    parser.add_argument("binary", type=pathlib.Path, help="the program `touchstone`")
    parser.add_argument("file", type=pathlib.Path, help="the record; `check` takes from it the seed, the counts and the backends")
    parser.add_argument("--quick", action="store_true", help="only the first tenth; a full record does for that check, too")
    parser.add_argument("--jobs", type=int, default=2, help="processes at work at once (default 2)")
    parser.add_argument("--seed", type=int, default=20261201, help="of the generated Cases (default %(default)s)")
    parser.add_argument("--native-cases", type=int, default=3000, help="default %(default)s")
    parser.add_argument("--torch-cases", type=int, default=150, help="default %(default)s")
    parser.add_argument("--native-campaign", type=int, default=600, help="Cases of the native campaign (default %(default)s)")
    parser.add_argument("--torch-campaign", type=int, default=8, help="Cases of the torch campaign (default %(default)s)")
    parser.add_argument("--leave-out", default="torch:inductor",
                        help="backends under which files of the corpus are not judged, separated by commas")  # fmt: skip
    parser.add_argument("--corpus", type=pathlib.Path, default=ROOT / "corpus", help="default: that of this repository")
    parser.add_argument("--most", type=int, default=8, help="differences shown of each kind (default %(default)s)")
    parser.add_argument("--keep", type=pathlib.Path, help="new folder to work in, which stays; without it a temporary one")
    return parser.parse_args()


def settings_of(given):
    def kind(cases, backends, **more):
        return {"cases": cases, "quick cases": -(-cases // 10), "backends": backends, **more}

    return {
        "seed": given.seed,
        "leave_out": [each for each in given.leave_out.split(",") if each],
        "native": kind(given.native_cases, NATIVE, calls=2, expects=[]),
        "torch": kind(given.torch_cases, [TORCH], calls=22, expects=Commands.FINDINGS),
        "native campaign": kind(given.native_campaign, ["aot_eager", "ts", *WRONG_IN_CAMPAIGN]),
        "torch campaign": kind(given.torch_campaign, [TORCH]),
    }


def main():
    given = options()
    before = read_record(given.file) if given.action == "check" else None
    settings = before["settings"] if before else settings_of(given)
    parts = [QUICK] if given.quick else [QUICK, REST]
    if before and any(part not in before for part in parts):
        sys.exit(f"`{given.file}` has the first tenth alone: check with --quick, or record all of it.")
    with tempfile.TemporaryDirectory(prefix="behaviour") as temporary:
        work = given.keep or pathlib.Path(temporary)
        work.mkdir(exist_ok=work == pathlib.Path(temporary), parents=True)
        program = Program(given.binary, work, given)
        prepare(program, given.corpus)
        after = {"format": FORMAT, "settings": settings, "machine": machine(program)}
        for part in parts:
            after[part] = json.loads(json.dumps(behaviour_of(program, settings, part)))  # as it is read from a file
            program.say(f"{part}: {counts(after[part])}")
    if not before:
        write_record(given.file, after)
        print(f"Recorded in {given.file}, {given.file.stat().st_size / 1000:.0f} KB.")
        return 0
    if before["machine"] != after["machine"]:
        print(f"The record was made on {before['machine']}; this is {after['machine']}, which may be the only cause.")
    found = tell(settings, *({part: record[part] for part in parts} for record in (before, after)), given.most)
    print(f"{found} differences." if found else "The same, to the letter.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
