"""Cases for the patterns that Inductor's pattern matcher looks for: which are registered, which fire, in which Case.

    python tools/mine_inductor_patterns.py list                       every pattern, with the Cases that fire it, or why none does
    python tools/mine_inductor_patterns.py record corpus/inductor_patterns/*.py
                                                                      compiles Cases and writes what fired into their `# fires:` lines
    python tools/mine_inductor_patterns.py check FILES…               the same, and says where the lines are wrong; exits 1 then
    python tools/mine_inductor_patterns.py table                      the coverage by file of patterns, as docs/inductor_patterns.md has it
    python tools/mine_inductor_patterns.py attention FOLDER           writes the Cases of attention that are recorded from Inductor itself

Needs PyTorch alone. docs/inductor_patterns.md says how it works.
"""

import argparse
import pathlib
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
warnings.simplefilter("ignore")

from inductor_patterns import coverage
from inductor_patterns.registered import registered

CASES = pathlib.Path(__file__).resolve().parents[1] / "corpus" / "inductor_patterns"


def list_patterns(patterns, arguments):
    fired = coverage.recorded(CASES)
    for name in patterns:
        print(f"{name}: {', '.join(fired[name]) if name in fired else 'none, ' + coverage.reason(name)}")
    return 0


def print_table(patterns, arguments):
    fired = coverage.recorded(CASES)
    print("\n".join(coverage.table(patterns, fired)))
    for name in coverage.unknown(patterns, fired):
        print(f"{name} is not registered, and {', '.join(fired[name])} says that it fires", file=sys.stderr)
    return int(bool(coverage.unknown(patterns, fired)))


def watch(patterns, arguments):
    """`record` and `check`: what fires while each file is compiled."""
    from inductor_patterns.watching import fired, written

    wrong = 0
    for path in arguments.files:
        names, error = fired(path, patterns)
        text = written(path.read_text(), names)
        print(f"{path.name}: {', '.join(names) or 'nothing fires'}{'; ' + error if error else ''}", flush=True)
        if arguments.command == "record":
            path.write_text(text)
        elif text != path.read_text():
            print(f"{path.name}: its `# fires:` lines say something else")
            wrong += 1
    return int(wrong > 0)


def write_attention(patterns, arguments):
    from inductor_patterns.recording import attention_cases

    for name, text in attention_cases().items():
        (arguments.folder / name).write_text(text)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list").set_defaults(action=list_patterns)
    commands.add_parser("table").set_defaults(action=print_table)
    for name in ("record", "check"):
        command = commands.add_parser(name)
        command.add_argument("files", nargs="+", type=pathlib.Path)
        command.set_defaults(action=watch)
    attention = commands.add_parser("attention")
    attention.add_argument("folder", type=pathlib.Path)
    attention.set_defaults(action=write_attention)
    arguments = parser.parse_args()
    return arguments.action(registered(), arguments)


if __name__ == "__main__":
    sys.exit(main())
