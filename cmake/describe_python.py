"""Prints, for CMake: the torch package's folder; the include folder and library of the interpreter; torch's version."""

import importlib.util
import os
import sys
import sysconfig

torch = importlib.util.find_spec("torch")
if torch is None or torch.origin is None:
    sys.exit(f"There is no torch in the environment of {sys.executable}.")
torch_folder = os.path.dirname(torch.origin)
version = {}
exec(open(os.path.join(torch_folder, "version.py")).read(), version)
library = os.path.join(sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME"))
if not os.path.exists(library):  # Debian keeps it in the multiarch folder
    library = os.path.join(
        sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("MULTIARCH") or "", sysconfig.get_config_var("INSTSONAME")
    )
print(";".join([torch_folder, sysconfig.get_path("include"), library, version["__version__"]]))
