"""Checks that every C++ file in the repository is formatted as .clang-format says. Usage: check_format.py [ROOT] [--fix]."""

import pathlib
import shutil
import subprocess
import sys

FOLDERS = ("base", "graph", "program", "generators", "backends", "include", "api", "oracles", "harness", "tests", "bench", "examples")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--fix"]
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent.parent)
    formatter = shutil.which("clang-format-16")
    if formatter is None:
        print("clang-format-16 is not installed; install the package clang-format-16")
        return 1
    files = sorted(path for folder in FOLDERS for suffix in ("*.h", "*.cpp") for path in (root / folder).rglob(suffix))
    mode = ["-i"] if "--fix" in sys.argv else ["--dry-run", "--Werror"]
    return subprocess.run([formatter, *mode, *map(str, files)], cwd=root).returncode


if __name__ == "__main__":
    sys.exit(main())
