"""A backend that leaves in the file named by TELLS_ITS_START how its process was started: a JSON line for each compile."""

import json
import os
import pathlib

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
    told = {"ancestors": _ancestors(), "folder": os.getcwd(), "pythonpath": os.environ.get("PYTHONPATH"), "temporary": os.environ.get("TMPDIR")}
    with open(os.environ[VARIABLE], "a") as file:
        file.write(json.dumps(told) + "\n")
    return graph.forward
