"""Runs a Python script with the packages of the interpreter's environment: run_with_packages.py SCRIPT [ARGUMENTS…].

pip hides them from what it builds (PYTHONPATH, and a sitecustomize there) and shows what the build requires instead; the script
sees both. Elsewhere nothing is added.
"""

import json
import os
import runpy
import subprocess
import sys

visible = subprocess.check_output([sys.executable, "-E", "-c", "import json, sys; print(json.dumps(sys.path[1:]))"])
sys.argv = sys.argv[1:]
sys.path[0] = os.path.dirname(sys.argv[0])
sys.path += [folder for folder in json.loads(visible) if folder not in sys.path]
runpy.run_path(sys.argv[0], run_name="__main__")
