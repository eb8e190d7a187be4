"""Checks that every test of tests/ can fail: it asserts something, itself or in a function of tests/ that it calls, and it is run.

Functions are told by their names alone: a test that calls a function which asserts nothing passes where another function of that name,
in the same files, asserts something.

Usage: check_tests.py [ROOT]; prints each test that does not and exits 1 when there is one.
"""

import pathlib
import re
import sys

import cpp_tests

_ASSERTION = re.compile(r"\b(?:EXPECT_\w+|ASSERT_\w+|RC_ASSERT\w*|RC_FAIL|FAIL|ADD_FAILURE\w*)\b")
_CALL = re.compile(r"\b(\w+)\s*(?:<[^;(){}]*>)?\s*[({]")


def files_seen(root, file, texts, seen):
    """The file and the headers of tests/ that it includes, and theirs."""
    if file in seen:
        return
    seen.add(file)
    for name in re.findall(r'(?m)^#include "([^"]+)"', texts[file]):
        for path in (root / name, file.parent / name):
            if path in texts:
                files_seen(root, path, texts, seen)


def asserting(functions):
    """The names among them that assert, themselves or by one that they call."""
    names = {name for name, body in functions if _ASSERTION.search(body)}
    while True:
        more = {name for name, body in functions if names & set(_CALL.findall(body))} - names
        if not more:
            return names
        names |= more


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    texts = {path: path.read_text() for path in cpp_tests.sources(root)}
    codes = {path: cpp_tests.code_of(text) for path, text in texts.items()}
    functions = {path: cpp_tests.functions_in(code) for path, code in codes.items()}
    problems = []
    for file, code in codes.items():
        tests = cpp_tests.tests_in(root, file, code)
        seen = set()
        files_seen(root, file, texts, seen)
        helpers = asserting([each for path in sorted(seen) for each in functions[path]]) if tests else set()
        for test in tests:
            if not _ASSERTION.search(test.body) and not helpers & set(_CALL.findall(test.body)):
                problems.append(f"{file.relative_to(root)}: {test.suite}.{test.name} asserts nothing")
            reason = cpp_tests.why_not_run(test, code)
            if reason:
                problems.append(f"{file.relative_to(root)}: {test.suite}.{test.name} {reason}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
