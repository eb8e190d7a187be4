"""Finding files say with PyTorch alone what is wrong: `check_findings.py FOLDER`, `--print BINARY FOLDER`, or `--fuzz BINARY`.

Each file that expects a `torch:` backend to differ from eager must exit 1 when it is run as it is, and 0 under
`--backend none`. With `--print`, case files in short form are printed whole first; with `--fuzz`, the findings of a short campaign
are looked at.
"""

import os
import pathlib
import re
import runpy
import signal
import subprocess
import sys
import tempfile
import traceback

from whole_files import write_whole

SECONDS = 120  # for one file
NO_DIFFERENCE = "Agreed|Limit|Unsupported|Vacuous|EagerUnstable|IllConditioned|EagerRejected|BothRejected"
EXPECTATION = re.compile(rf"^# expect: (torch:\S+) (?!{NO_DIFFERENCE})(\S+)", re.MULTILINE)
FATAL = ("Crashed", "TimedOut", "OutOfMemory")  # the file dies of it
SEEN_BY_MEMORY_ALONE = ("OutOfBounds", "ReadsUninitialized")  # plain Python has no patterns in and around fresh memory


def outcome_of(file, *arguments):
    """What `python FILE ARGUMENTS…` exits with and says, in a fork of this process, which has imported torch already."""
    sys.stdout.flush()
    said = tempfile.TemporaryFile()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
        os.chdir(file.parent)
        sys.argv = [str(file), *arguments]
        status = 70
        try:
            runpy.run_path(str(file), run_name="__main__")
            status = 0
        except SystemExit as end:
            status = end.code or 0
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    said.seek(0)
    return status, said.read().decode(errors="replace")


def check(folder):
    files = sorted(pathlib.Path(folder).resolve().rglob("*.py"))
    checked = wrong = 0
    for file in files:
        expected = EXPECTATION.search(file.read_text())
        if expected is None:
            continue
        if expected[2].startswith(SEEN_BY_MEMORY_ALONE):
            print(f"-        {file.name}: nothing that plain Python could show")
            continue
        (compiled, said), (eager, eager_said) = outcome_of(file), outcome_of(file, "--backend", "none")
        fatal = expected[2].startswith(FATAL)
        good = (compiled not in (0, 1) if fatal else compiled == 1) and eager == 0
        checked += 1
        wrong += not good
        print(f"{'ok' if good else 'FAIL':8} {file.name}: {expected[1]} {expected[2]}:"
              f" {compiled}, not compiled {eager}")
        if not good:
            print(f"{said[-2000:]}\nnot compiled:\n{eager_said[-2000:]}")
    print(f"{checked} of {len(files)} files checked, {wrong} wrong")
    return wrong


def main(first, binary=None, stored=None):
    import torch._dynamo
    import torch._functorch.config
    import torch._inductor.config

    torch.set_num_threads(1)
    if first not in ("--print", "--fuzz"):
        return 1 if check(first) else 0
    with tempfile.TemporaryDirectory() as folder:
        if first == "--print":
            write_whole(binary, stored, folder)
            return 1 if check(folder) else 0
        # Cases in which the pinned PyTorch differs from eager.
        command = f"fuzz --seed 11 --start 3 --cases 4 --backends torch:aot_eager --reduce-seconds 8 --findings {folder}"
        run = subprocess.run([binary, *command.split()], text=True, stdout=subprocess.PIPE)
        if run.returncode not in (0, 1):
            print(run.stdout)
            return run.returncode
        found = any(EXPECTATION.search(file.read_text()) for file in pathlib.Path(folder).rglob("*.py"))
        if not found:
            print(run.stdout, "No file of a finding was written, so nothing was checked.")
            return 1
        return 1 if check(folder) else 0


sys.exit(main(*sys.argv[1:]))
