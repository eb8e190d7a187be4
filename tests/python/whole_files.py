"""Case files in their whole form, which Python runs alone: `corpus/` and `tests/cases/` keep the short one."""

import os
import shutil
import subprocess


def write_whole(binary, source, folder):
    """Writes what lies below `source` below `folder` as well, there with `data` and the `__main__` part in each case file."""
    shutil.copytree(source, folder, dirs_exist_ok=True)
    subprocess.run([binary, "print", "--rewrite", folder], check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
