"""Runs libFuzzer targets with the flags of their options files: `run_fuzzers.py BUILD [--seconds N] [--corpus FOLDER] [TARGET…]`.

BUILD is the folder of the preset `fuzz`. What a target keeps is in FOLDER/TARGET, and with what was generated to begin with it is where
the next run goes on. An input that ends a target is in FOLDER/found/TARGET; `BUILD/harness/TARGET_fuzzer FILE` shows it again.
Exits with 1 when there is one.
"""

import argparse
import configparser
import os
import pathlib
import subprocess
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "harness" / "fuzzers"
SEEDS = {"parse": "parse"}  # the others begin with Recipes
FLAGS_OF_FILES = ("dict",)


def flags_of(target):
    """libFuzzer's flags, and the target's own."""
    options = configparser.ConfigParser()
    options.read(SOURCES / f"{target}.options")
    flags = []
    for name, value in options.items("libfuzzer"):
        flags.append(f"-{name}={SOURCES / value if name in FLAGS_OF_FILES else value}")
    if options.has_section("target"):
        flags += [f"--{name}={value}" for name, value in options.items("target")]
    return flags


def run(target, build, corpus, seconds):
    kept, found = corpus / target, corpus / "found" / target
    for folder in (kept, found):
        folder.mkdir(parents=True, exist_ok=True)
    command = [build / "harness" / f"{target}_fuzzer", *flags_of(target), f"-max_total_time={seconds}",
               f"-artifact_prefix={found}/", kept, corpus / "seeds" / SEEDS.get(target, "recipe"),
               SOURCES / "seeds" / SEEDS.get(target, "recipe")]
    print(" ".join(map(str, command)), flush=True)
    status = subprocess.run(command, env={"OMP_NUM_THREADS": "1", **os.environ}).returncode
    print(f"{target}: {'nothing found' if status == 0 else f'exit status {status}; the input is in {found}'}", flush=True)
    return status


def main():
    targets = sorted(file.stem for file in SOURCES.glob("*.options"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="folder of the preset `fuzz`")
    parser.add_argument("targets", nargs="*", default=targets, metavar="TARGET", help=f"{', '.join(targets)}; all by default")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (60)")
    parser.add_argument("--corpus", type=pathlib.Path, default=pathlib.Path("fuzzing"), help="folder of what is kept")
    arguments = parser.parse_intermixed_args()
    unknown = set(arguments.targets) - set(targets)
    if unknown:
        parser.error(f"there is no target {', '.join(sorted(unknown))}; choose among {', '.join(targets)}")
    build, corpus = arguments.build.resolve(), arguments.corpus.resolve()
    subprocess.run([build / "harness" / "fuzzer_seeds", corpus / "seeds"], check=True)
    return 1 if any([run(target, build, corpus, arguments.seconds) for target in arguments.targets]) else 0


sys.exit(main())
