"""A backend that leaves in the file named by TELLS_ITS_START how its process was started: a JSON line for each compile.
Beside a file of that name with the ending `.sleep` it then sleeps for ten minutes."""

import json
import os
import pathlib
import time

VARIABLE = "TELLS_ITS_START"


def _ancestors():
    process, found = os.getppid(), []
    while process > 1:
        words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
        found.append({"process": process, "words": [word.decode(errors="replace") for word in words if word]})
        status = pathlib.Path(f"/proc/{process}/stat").read_text()
        process = int(status.rpartition(")")[2].split()[1])
    return found


def backend(graph, examples):
    told = {"process": os.getpid(), "ancestors": _ancestors(), "folder": os.getcwd(), "pythonpath": os.environ.get("PYTHONPATH"), "temporary": os.environ.get("TMPDIR")}
    with open(os.environ[VARIABLE], "a") as file:
        file.write(json.dumps(told) + "\n")
    if pathlib.Path(os.environ[VARIABLE]).with_suffix(".sleep").exists():
        time.sleep(600)
    return graph.forward
