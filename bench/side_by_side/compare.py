"""How fast Cases are judged, beside the bare torch.compile and calls of the same Programs.

    python bench/side_by_side/compare.py --cases 100 --seed 7 --backends torch:eager,torch:aot_eager
    python bench/side_by_side/compare.py --operations 10 --cases 40 --repeat 5 --backends torch:aot_eager

Writes the Cases of the campaign as files once. Then, for each backend in turn and as often as --repeat says, runs
`touchstone fuzz --judge-only` with one worker, and the files in one Python process that compiles and calls and looks at
nothing (`bare_torch_compile.py`); for a native backend that process runs the Programs uncompiled. What starting costs is
taken off both sides: Touchstone also judges Case 0 alone, and the figures are those of all Cases but that one.

Seconds are processor seconds of all processes together, so the figures are those of one core; wall time is beside them.
`docs/benchmarks.md` explains the table.
"""

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PARTS = ("generate", "eager", "compile", "run", "judge", "blame", "other")
TORCH_CALLS, OTHER_CALLS = 22, 2  # calls that change nothing but values, as `touchstone fuzz` makes them
NATIVE_TIMES = 10  # so many times more Cases for a native backend, which is that much faster
COLUMNS = (
    ["backend", "Cases", "cases/s", "judged calls/s", "bare cases/s", "bare calls/s"]
    + ["ratio (min-max)", "ratio by wall (min-max)", "judged calls a compile", "graphs a compile"]
    + [f"{part} ms" for part in PARTS]
)


PR_SET_CHILD_SUBREAPER = 36


class Failed(Exception):
    """A process that was measured did not do its work."""


def adopt_orphans():
    """Touchstone ends its workers as soon as it has the last result; what the last child took would be lost with them."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise Failed("This system cannot hand on orphaned processes (prctl PR_SET_CHILD_SUBREAPER).")


def seconds_of_orphans():
    total = 0.0
    while True:
        try:
            _, _, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return total
        total += usage.ru_utime + usage.ru_stime


def measured(command, accepted):
    """(standard output, processor seconds of the process and all below it, wall seconds)"""
    environment = dict(os.environ, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=errors, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - begin
        cpu = usage.ru_utime + usage.ru_stime + seconds_of_orphans()
        output.seek(0)
        errors.seek(0)
        text = output.read().decode(errors="replace")
        if process.returncode not in accepted:
            tail = errors.read().decode(errors="replace")[-2000:]
            raise Failed(f"`{' '.join(map(str, command[:6]))} …` ended with {process.returncode}:\n{tail}{text[-500:]}")
    return text, cpu, wall


def difference(whole, first):
    return {key: whole[key] - first[key] for key in whole}


class Touchstone:
    def __init__(self, program, seed, operations):
        self.program, self.seed = program, seed
        self.size = [] if operations is None else ["--min-operations", str(operations), "--max-operations", str(operations)]

    def generate(self, cases, calls, folder):
        command = [self.program, "generate", "--seed", str(self.seed), "--cases", str(cases), "--out", folder]
        measured([*command, "--calls", str(calls), *self.size], accepted=(0,))
        return [str(Path(folder) / f"case-{index}.py") for index in range(cases)]

    def fuzz(self, backend, cases, calls):
        with tempfile.TemporaryDirectory() as findings:
            command = [self.program, "fuzz", "--seed", str(self.seed), "--cases", str(cases), "--backends", backend]
            command += ["--jobs", "1", "--judge-only", "--json", "--findings", findings]
            command += ["--calls", str(calls), *self.size]
            # 4: too little was judged, as when the one Case of a start is one that eager rejects.
            text, cpu, wall = measured(command, accepted=(0, 4))
        report = json.loads(text)
        effort = report["effort"].get(backend, {})
        result = {"cases": report["cases"], "cpu": cpu, "wall": wall}
        for name, field in (("calls", "calls_judged"), ("compiled", "compiled"), ("graphs", "graphs")):
            result[name] = effort.get(field, 0)
        result["generate"], result["eager"] = report["generate_seconds"], report["eager_seconds"]
        for part in ("compile", "run", "judge", "blame"):
            result[part] = effort.get(f"{part}_seconds", 0.0)
        return result

    def judge(self, backend, cases, calls):
        """What all Cases but the first cost."""
        return difference(self.fuzz(backend, cases, calls), self.fuzz(backend, 1, calls))


def bare(backend, files, lean):
    """What all files but the first cost without Touchstone."""
    name = backend.removeprefix("torch:") if backend.startswith("torch:") else "none"
    name = "none" if name == "eager_python" else name
    command = [sys.executable, HERE / "bare_torch_compile.py", "--backend", name, *(["--lean"] if lean else []), *files]
    text, _, _ = measured(command, accepted=(0,))
    cases = json.loads(text)["cases"][1:]
    return {"cases": len(cases), **{key: sum(case[key] for case in cases) for key in ("cpu", "wall", "calls")}}


def spread(values, digits=2):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}-{max(values):.{digits}f})"


def row(backend, cases, repeats):
    judged = [judge for judge, _ in repeats]
    floors = [floor for _, floor in repeats]

    def rate(runs, what):
        return f"{statistics.median(run[what] / run['cpu'] for run in runs):.3g}"

    def ratio(clock):
        of_cases = [(j["cases"] / j[clock]) / (f["cases"] / f[clock]) for j, f in repeats]
        return spread(of_cases)

    def milliseconds(part):
        """The part's share of the wall time, of the processor time of a Case: on a busy machine wall time alone says little."""

        def share(run):
            named = {each: max(0.0, run[each]) for each in PARTS[:-1]}
            return (named | {"other": max(0.0, run["wall"] - sum(named.values()))})[part] / run["wall"]

        return f"{statistics.median(1000 * share(run) * run['cpu'] / run['cases'] for run in judged):.3g}"

    compiled = [run["calls"] / run["compiled"] for run in judged if run["compiled"]]
    graphs = [run["graphs"] / run["compiled"] for run in judged if run["compiled"]]
    return (
        [backend, str(cases), rate(judged, "cases"), rate(judged, "calls"), rate(floors, "cases"), rate(floors, "calls")]
        + [ratio("cpu"), ratio("wall"), *(f"{statistics.median(each):.1f}" if each else "none" for each in (compiled, graphs))]
        + [milliseconds(part) for part in PARTS]
    )


def print_table(rows):
    lines = [COLUMNS] + rows
    widths = [max(len(line[column]) for line in lines) for column in range(len(COLUMNS))]
    for number, line in enumerate(lines):
        print("| " + " | ".join(cell.rjust(width) for cell, width in zip(line, widths)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 1) + ":" for width in widths) + "|")


def missing_figures(rows):
    """Figures that cannot be nothing and are. (Of few Cases, the difference of two processor times can come out below 0.)"""
    needed = [column for column in COLUMNS[2:] if column not in ("generate ms", "eager ms", "judge ms", "blame ms", "other ms")]
    for cells in rows:
        for column, cell in zip(COLUMNS, cells):
            number = cell.split(" ")[0]
            if column in needed and (number == "none" or float(number) == 0):
                yield f"{cells[0]}: {column} is {cell}"


def built_program():
    found = [path for path in ROOT.glob("build*/harness/touchstone") if os.access(path, os.X_OK)]
    return str(max(found, key=lambda path: path.stat().st_mtime)) if found else None


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100, help="Cases for each torch backend, at least 2 (default 100)")
    parser.add_argument("--seed", type=int, default=7, help="seed of the campaign (default 7)")
    parser.add_argument("--operations", type=int, help="Programs of so many operations (default: as drawn)")
    parser.add_argument("--calls", type=int, help="as of `touchstone fuzz` (default: as there, 22 for a torch.compile, else 2)")
    parser.add_argument("--backends", default="eager,torch:eager,torch:aot_eager,torch:aot_eager_decomp_partition")
    parser.add_argument("--inductor-cases", type=int, default=0, help="also torch:inductor, with so many Cases")
    parser.add_argument("--native-cases", type=int, help=f"Cases for each native backend (default {NATIVE_TIMES} x --cases)")
    parser.add_argument("--repeat", type=int, default=3, help="how often each is measured, in turn (default 3)")
    parser.add_argument("--lean", action="store_true", help="a floor that leaves out what the worker leaves out, too")
    parser.add_argument("--touchstone", default=built_program(), help="the program (default: the newest in build*/)")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a figure is missing from the table")
    options = parser.parse_args()
    if options.touchstone is None:
        parser.error("There is no build*/harness/touchstone; build it with `./touchstone` or name it with --touchstone.")
    options.plan = {}  # backend: Cases, calls
    for backend in options.backends.split(","):
        native = not backend.startswith("torch:")
        cases = (options.native_cases or NATIVE_TIMES * options.cases) if native else options.cases
        compiles = not native and backend != "torch:eager_python"
        options.plan[backend] = (cases, options.calls or (TORCH_CALLS if compiles else OTHER_CALLS))
    if options.inductor_cases > 0:
        options.plan["torch:inductor"] = (options.inductor_cases, options.calls or TORCH_CALLS)
    if min(cases for cases, _ in options.plan.values()) < 2 or options.repeat < 1:
        parser.error("At least 2 Cases and 1 repetition are needed.")
    return options


def main():
    options = read_options()
    adopt_orphans()
    touchstone = Touchstone(options.touchstone, options.seed, options.operations)
    repeats = {backend: [] for backend in options.plan}
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for calls in {calls for _, calls in options.plan.values()}:
            most = max(cases for cases, each in options.plan.values() if each == calls)
            files[calls] = touchstone.generate(most, calls, f"{folder}/{calls}")
        for number in range(options.repeat):
            for backend, (cases, calls) in options.plan.items():
                judged = touchstone.judge(backend, cases, calls)
                floor = bare(backend, files[calls][:cases], options.lean)
                repeats[backend].append((judged, floor))
                print(
                    f"{number + 1}/{options.repeat} {backend}: {judged['cpu']:.2f} s judged, {floor['cpu']:.2f} s bare",
                    file=sys.stderr,
                )
    rows = [row(backend, options.plan[backend][0], repeats[backend]) for backend in options.plan]
    print_table(rows)
    if options.check and (missing := list(missing_figures(rows))):
        raise Failed("The table is not whole: " + "; ".join(missing))


if __name__ == "__main__":
    try:
        main()
    except Failed as error:
        sys.exit(str(error))
