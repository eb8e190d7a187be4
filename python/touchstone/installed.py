"""The executables of the installed package: which PyTorch they want, and what they are told of where they are."""

import importlib.metadata
import importlib.util
import os
import pathlib
import shutil
import sys
import sysconfig

_FOLDER = pathlib.Path(__file__).resolve().parent / "bin"
BINARY = _FOLDER / "touchstone"


def refusal():
    """Why BINARY cannot be run beside the PyTorch of this interpreter; empty where it can."""
    wanted, folder = _wanted_version(), _torch_folder()
    if folder is None:
        return f"This touchstone was built with torch {wanted}, and {sys.executable} has no torch. Install that version."
    found = _version_in(folder)
    if found != wanted:
        return (f"This touchstone was built with torch {wanted}, and {sys.executable} has torch {found} ({folder}). "
                f"Call `{sys.executable} -m pip install .` in the source tree again, or install torch {wanted}.")
    return ""


def environment(called_as=None):
    """The environment variables with which BINARY is run. called_as: the file that the user called, where that is a command."""
    variables = {**os.environ, "TOUCHSTONE_PYTHON": sys.executable, "TOUCHSTONE_COMMAND": _typed_name(called_as)}
    variables.setdefault("OMP_NUM_THREADS", "1")
    libraries = _torch_folder() / "lib"
    beside = _FOLDER.parents[1] / "torch" / "lib"  # where the executables look
    if not (beside.is_dir() and beside.samefile(libraries)):
        variables["LD_LIBRARY_PATH"] = ":".join(filter(None, (str(libraries), os.environ.get("LD_LIBRARY_PATH"))))
    return variables


def version_text():
    folder = _torch_folder()
    found = f"torch {_version_in(folder)} ({folder})" if folder is not None else "no torch"
    return f"touchstone {importlib.metadata.version('touchstone')}, built with torch {_wanted_version()}; {sys.executable} has {found}"


def _wanted_version():
    return (_FOLDER / "torch_version").read_text().strip()


def _torch_folder():
    """Found without importing it; None where there is none."""
    found = importlib.util.find_spec("torch")
    return pathlib.Path(found.origin).parent if found is not None and found.origin else None


def _version_in(folder):
    names = {}
    exec((folder / "version.py").read_text(), names)
    return names["__version__"]


def _typed_name(called_as):
    """The shortest that starts this touchstone from a shell: replay commands begin with it."""
    scripts = (called_as, os.path.join(sysconfig.get_path("scripts"), "touchstone"))
    for each in filter(None, scripts):
        if os.path.basename(each) == "touchstone" and os.access(each, os.X_OK):
            on_path = shutil.which("touchstone")
            return "touchstone" if on_path and os.path.samefile(on_path, each) else os.path.abspath(each)
    return str(BINARY)
