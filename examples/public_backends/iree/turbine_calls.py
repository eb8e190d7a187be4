"""Registers IREE Turbine's backend of torch.compile, `turbine_cpu`, and counts the calls of compiled code that IREE has executed.

A forked process has none of its parent's threads, and both IREE's compiler and its device on the CPU would wait for theirs for ever. So the
compiler is told to do without threads, and the device is the one that runs in the thread of its caller.
"""

import functools

from iree.compiler.api import ctypes_dl
from iree.turbine.dynamo.backends import base
from iree.turbine.runtime import device, launch
from torch._dynamo import register_backend

executed = 0


def _counting(invoke):
    @functools.wraps(invoke)
    def run(*args):
        global executed
        invoke(*args)
        executed += 1

    return run


def _without_threads(get_driver):
    return lambda name: get_driver("local-sync" if name == "local-task" else name)


ctypes_dl._initializeGlobalCL("iree-compile", "--mlir-disable-threading")
device.get_driver = _without_threads(device.get_driver)
launch.invoke_vm_function = _counting(launch.invoke_vm_function)
register_backend(base.backend, name="turbine_cpu")
