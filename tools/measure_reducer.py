"""How small findings become, and how long that takes: `measure_reducer.py BINARY [--planted N] [--real N] [--work FOLDER]`.

Collects findings as they were found (nothing reduced) of backends that are wrong for a known cause
(tests/python/planted_causes.py) and of the installed PyTorch, then reduces each by `touchstone reduce`, and prints a row a
finding and the medians. Findings that lie in the folder from an earlier run are not collected again.
"""

import argparse
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))
from planted_causes import CAUSES, operators_near  # noqa: E402


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--planted", type=int, default=60, help="findings of planted causes")
    parser.add_argument("--real", type=int, default=30, help="findings of the installed PyTorch")
    parser.add_argument("--real-backend", default="torch:aot_eager")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=180, help="for each reduction")
    parser.add_argument("--collect", type=float, default=120, help="seconds to look for the findings of one backend")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("reductions"), help="folder; made where it is not there")
    return parser.parse_args()


def flags_of(backend):
    """What is AOTAutograd's own is not the planted cause's."""
    planted = "planted_causes" in backend
    return ["--python-path", str(ROOT / "tests" / "python"), "--base", "torch:aot_eager"] if planted else []


def near(backend):
    """Operators among which a planted cause is met soon."""
    operators = operators_near(backend.rpartition(":")[2])
    return ["--operators", operators, "--min-operations", 10] if operators else []


def run(given, *arguments):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [str(given.binary.resolve()), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, errors="replace")
    if done.returncode not in (0, 1, 4):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done


def collect(given, backend, count):
    """Files of at least `count` findings of the backend, as they were found; fewer where the campaign is over before."""
    folder = given.work / backend.replace(":", "-")
    files = sorted(folder.glob("*.py"))
    if 0 < count and len(files) < count:
        print(f"looking for {count} findings of {backend}", file=sys.stderr, flush=True)
        run(given, "fuzz", "--backends", backend, "--seed", given.seed, "--seconds", given.collect, "--no-feedback",
            "--max-findings", count, "--reduce-seconds", 0, "--findings", folder, "--jobs", given.jobs, "--json",
            *near(backend), *flags_of(backend))  # fmt: skip
        files = sorted(folder.glob("*.py"))
    return files[:count]


def reduce(given, backend, file):
    done = run(given, "reduce", file, "--backend", backend, "--seconds", given.seconds, "--jobs", given.jobs, "--json",
               *flags_of(backend))  # fmt: skip
    try:
        return json.loads(done.stdout)
    except ValueError:
        print(f"{file}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None


def summary(kind, rows, given):
    """Findings that could not be reduced count as not small."""
    operations = [row["operations"] for row in rows]
    seconds = [row["seconds"] for row in rows]
    if not rows:
        return f"{kind}: none"
    small = sum(each <= 5 for each in operations) / given
    return (
        f"{kind}: {given} findings, {given - len(rows)} of which did not show again; operations median {statistics.median(operations):g}, at most 5 in {small:.0%}, "
        f"largest {max(operations)}; seconds median {statistics.median(seconds):.1f}, largest {max(seconds):.1f}; "
        f"candidates median {statistics.median(row['candidates'] for row in rows):g}"
    )


def in_turn(lists):
    """One of each, then the next of each: no cause crowds out another."""
    return [each for row in itertools.zip_longest(*lists) for each in row if each is not None]


def main():
    given = options()
    given.work.mkdir(parents=True, exist_ok=True)
    each_cause = -(-given.planted // (len(CAUSES) - 4))  # some causes are rare
    causes = [f"torch:planted_causes:{name}" for name in CAUSES]
    pairs = {
        "real": [(given.real_backend, file) for file in collect(given, given.real_backend, given.real)],
        "planted": in_turn([[(each, file) for file in collect(given, each, each_cause)] for each in causes]),
    }
    results, given_files = {}, {}
    for kind, count in (("planted", given.planted), ("real", given.real)):
        results[kind], given_files[kind] = [], len(pairs[kind][:count])
        for backend, file in pairs[kind][:count]:
            row = reduce(given, backend, file)
            if row is not None:
                results[kind].append({**row, "backend": backend, "of": file.name})
                print(f"{row['operations']:3} operations {row['candidates']:5} candidates {row['seconds']:6.1f} s  "
                      f"{row['symptom']:44} {backend} {file.name}", flush=True)  # fmt: skip
    (given.work / "reductions.json").write_text(json.dumps(results, indent=1))
    for kind, rows in results.items():
        print(summary(kind, rows, given_files[kind]))


if __name__ == "__main__":
    main()
