#!/usr/bin/env python3
"""Builds from nothing without ccache and says what processor time went where: by target, and the dearest sources.

    tools/measure_build.py build-measured                  everything
    tools/measure_build.py build-measured --target touchstone --target touchstone-torch-worker
    tools/measure_build.py build-measured --json figures.json

The folder is emptied first. Each compiler and linker call is timed by a launcher (this file again), in user and system
seconds, which other work on the machine changes less than the clock's.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def launch(log: str, command: list[str]) -> int:
    """Runs one compiler or linker call and appends `seconds TAB output` to the log."""
    status = subprocess.call(command)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = command[command.index("-o") + 1] if "-o" in command else command[-1]
    with open(log, "a") as file:
        file.write(f"{used.ru_utime + used.ru_stime:.2f}\t{used.ru_maxrss // 1024}\t{output}\n")
    return status


def target_of(output: str) -> str:
    """The CMake target whose folder an object lies in; what is linked counts as its own."""
    found = re.search(r"CMakeFiles/([^/]+)\.dir/", output)
    return found.group(1) if found else "(linking)"


def measure(folder: pathlib.Path, preset: str, targets: list[str], jobs: int) -> dict:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    log = folder / "processor_times.tsv"
    launcher = ";".join([sys.executable, str(pathlib.Path(__file__).resolve()), "--launch", str(log)])
    subprocess.run(
        ["cmake", "--preset", preset, "-B", str(folder), f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}",
         f"-DCMAKE_CXX_LINKER_LAUNCHER={launcher}", f"-DTOUCHSTONE_PYTHON={ROOT / '.venv/bin/python'}"],
        cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    started, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["ninja", "-C", str(folder), f"-j{jobs}", *targets], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "CCACHE_DISABLE": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    calls = [line.split("\t") for line in log.read_text().splitlines()]
    by_target = collections.Counter()
    for seconds, _, output in calls:
        by_target[target_of(output)] += float(seconds)
    return {
        "processor_seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "clock_seconds": time.time() - started,
        "targets": dict(by_target.most_common()),
        "calls": sorted(([float(seconds), int(megabytes), output] for seconds, megabytes, output in calls), reverse=True),
    }


def main() -> None:
    if len(sys.argv) > 2 and sys.argv[1] == "--launch":
        sys.exit(launch(sys.argv[2], sys.argv[3:]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="a build folder; what is in it is deleted")
    parser.add_argument("--target", action="append", default=[], help="build this target alone; may be given again")
    parser.add_argument("--preset", default="release")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=pathlib.Path, help="write every figure there, too")
    parser.add_argument("--top", type=int, default=15, help="how many of the dearest calls are printed")
    options = parser.parse_args()
    folder = options.folder.resolve()
    if folder.exists() and not (folder / "CMakeCache.txt").exists() and any(folder.iterdir()):
        parser.error(f"{folder} is not empty and no build folder; name another")
    figures = measure(folder, options.preset, options.target, options.jobs)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    print(f"{figures['processor_seconds'] / 60:.1f} minutes of processor time, {figures['clock_seconds'] / 60:.1f} by the clock")
    for target, seconds in figures["targets"].items():
        print(f"{seconds:8.1f} s  {target}")
    print("the dearest calls:")
    for seconds, megabytes, output in figures["calls"][: options.top]:
        print(f"{seconds:8.1f} s  {megabytes:5} MB  {output}")


if __name__ == "__main__":
    main()
