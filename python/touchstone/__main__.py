"""The command `touchstone` of the installed package, and `python -m touchstone`: becomes the executable."""

import os
import sys

from touchstone import installed
from touchstone.command import CommandError, environment_for, find_own_command


def main():
    if sys.argv[1:] == ["--version"] and installed.BINARY.exists():
        print(installed.version_text())
        return 0
    try:
        command = find_own_command()
        environment = environment_for(command, called_as=sys.argv[0])
    except CommandError as error:
        print(error, file=sys.stderr)
        return 3
    os.execve(command, [str(command), *sys.argv[1:]], environment)


if __name__ == "__main__":
    sys.exit(main())
