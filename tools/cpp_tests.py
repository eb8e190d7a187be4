"""What the sources of tests/ hold: each GoogleTest with its body, and the helpers that it can call.

Reads text, no syntax tree: comments, strings and what stands behind `#if 0` are blanked out, lengths are kept.
"""

import dataclasses
import pathlib
import re

_HEAD = re.compile(r"\b(?:TYPED_TEST|TEST(?:_F|_P)?|RC_GTEST(?:_FIXTURE)?_PROP)\(\s*(\w+)\s*,\s*(\w+)\s*[,)]")
_FUNCTION = re.compile(r"\b(~?\w+)\s*\([^;{}]*\)\s*(?:const|override|noexcept|final|->\s*[\w:<>&*]+|\s)*(?::[^;{]*)?\{")
_LITERAL = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*(?:.|\n)*?\*/')
_DEAD = re.compile(r"^#\s*if 0\b(?:.|\n)*?^#\s*endif", re.MULTILINE)
_KEYWORDS = {"if", "for", "while", "switch", "catch", "return", "sizeof"}


@dataclasses.dataclass
class Test:
    file: pathlib.Path
    folder: str
    suite: str
    name: str
    body: str

    @property
    def path(self):
        return f"{self.folder}.{self.suite}.{self.name}"


def _blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def code_of(text):
    """The text without comments, strings and dead parts; what is left stands where it stood."""
    return _DEAD.sub(_blank, _LITERAL.sub(_blank, text))


def block(code, start):
    """From the first brace behind `start` to the one that closes it."""
    begin = code.find("{", start)
    depth = 0
    for match in re.finditer(r"[{}]", code[begin:]):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return code[begin : begin + match.end()]
    return code[begin:]


def sources(root):
    return sorted(path for path in (root / "tests").rglob("*") if path.suffix in (".h", ".cpp"))


def tests_in(root, file, code):
    folder = file.relative_to(root / "tests").parts[0]
    return [Test(file, folder, match[1], match[2], block(code, match.end())) for match in _HEAD.finditer(code)]


def functions_in(code):
    """(name, body) of whatever is defined here, member functions and constructors included."""
    return [(match[1], block(code, match.end() - 1)) for match in _FUNCTION.finditer(code) if match[1] not in _KEYWORDS and not _HEAD.match(match[0])]


def always_skips(body):
    """Whether a GTEST_SKIP() stands in the body itself, behind no condition."""
    for match in re.finditer(r"\bGTEST_SKIP\b", body):
        before = body[: match.start()]
        statement = re.split(r"[;{}]", before)[-1].strip()
        if before.count("{") - before.count("}") == 1 and not statement:
            return True
    return False


def why_not_run(test, code):
    """Why GoogleTest never runs the test, though it is there; empty when it does."""
    if "DISABLED_" in test.suite + test.name:
        return "is disabled"
    if always_skips(test.body):
        return "skips itself always"
    fixture = re.search(rf"\bclass {test.suite}\b|\bstruct {test.suite}\b", code)
    if fixture:
        for name, body in functions_in(block(code, fixture.end())):
            if name == "SetUp" and always_skips(body):
                return "is skipped by its fixture always"
    return ""
