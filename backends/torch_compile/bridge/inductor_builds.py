"""Kernels of Inductor for the CPU, built with less waiting: what they compute stays what it was.

Of what g++ takes for a kernel, nearly half goes into templates that the header leaves open, a third into linking against PyTorch, and a
sixth into the kernel (`bench/side_by_side/inductor_builds.py --parts`). So a kernel is built when it is first called, together with all that wait by then, of the same
process and of others: one compile with the same flags, each kernel in a namespace of its own. Who finds a compile running waits for
its end and then builds what has come up meanwhile, as databases write many commits at once. And the linker is the fastest that
there is. What cannot be built together is built alone, as PyTorch does it.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

# What kernels and their bindings include; in a namespace it has to be there already.
_INCLUDES = ("torch/csrc/inductor/cpp_prefix.h", "Python.h", "sstream", "cstdlib", "cerrno")
_LINKERS = ("mold", "lld", "gold")  # the fastest first
_ENTRY = "kernel"
_MOST = 24  # kernels in one compile: what a compile costs beside them is small by then
_KEPT_SECONDS = 600  # what a process that died has left is older than any compile

_folder = None  # where processes leave what they wait for
_installed = False


class _Noted(Exception):
    """Ends a build that was asked for to see what it would be."""


class _Kernel:
    """Stands for a kernel in Inductor's generated code until it is first called."""

    def __init__(self, load):
        self.load = load  # builds and imports it
        self._function = None

    def __call__(self, *arguments):
        if self._function is None:
            _build_waiting()
            self._function = self.load()
        return self._function(*arguments)


_waiting = []  # kernels that nobody has called yet
_noted = None  # while it is a list: builders, not built
_built = {}  # the file that a kernel would have been built as -> the library that it is in, and its entry there


def forget():
    """Kernels of an earlier Program are not built any more."""
    _waiting.clear()
    _built.clear()


def _build_waiting():
    global _noted
    waiting, builders = list(_waiting), []
    _waiting.clear()
    for kernel in waiting:
        _noted = []
        try:
            with contextlib.suppress(_Noted):
                kernel.load()
            builders += _noted
        finally:
            _noted = None
    groups = {}
    for builder in builders:
        groups.setdefault(_flags(builder), []).append(builder)
    for flags, group in groups.items():
        with contextlib.suppress(Exception):  # then each is built alone
            _built.update(_Queue(flags, group[0]).built(group))


def _flags(builder):
    """The command that builds it, without what it reads and writes."""
    output, source = builder.get_target_file_path(), builder._sources_args
    return tuple(word for word in shlex.split(builder.get_command_line()) if word not in (output, source))


def _in_namespace(source, entry):
    """One kernel's source as a part of a larger one."""
    included = re.findall(r"^\s*#\s*include\s*[<\"](.+)[>\"]", source, re.MULTILINE)
    if set(included) - set(_INCLUDES) or source.count(f"PyInit_{_ENTRY}(") != 1:
        raise ValueError("not one of the kernels that can be built together")
    source = re.sub(r"^\s*#\s*include\s.*$|^\s*#\s*define PY_SSIZE_T_CLEAN$", "", source, flags=re.MULTILINE)
    source = re.sub(rf"extern \"C\"(\s+void\s+{_ENTRY}\()", r"\1", source)
    source = source.replace(f"PyInit_{_ENTRY}(", f"PyInit_{entry}(")
    return f"namespace {entry} {{\n{source}\n}}\n"


class _Queue:
    """Kernels that are built with the same flags, each a file `ENTRY.cpp` that becomes a library `ENTRY.so`."""

    def __init__(self, flags, builder):
        self._folder = _folder / hashlib.sha256(repr(flags).encode()).hexdigest()[:16]
        self._folder.mkdir(exist_ok=True)
        self._builder = builder  # for its command

    def built(self, builders):
        """The file that each would have been built as -> its library, and the entry there. Those that failed are left out."""
        own = {builder.get_target_file_path(): self._ask(builder) for builder in builders}
        try:
            with open(self._folder / "lock", "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not all(self._library(entry).exists() for entry in own.values()):
                    self._build(own.values())
        finally:
            for entry in own.values():
                self._source(entry).unlink(missing_ok=True)
        made = {}
        for target, entry in own.items():
            if self._library(entry).exists():
                library = target + ".together.so"
                self._library(entry).rename(library)
                made[target] = library, entry
        return made

    def _ask(self, builder):
        path = builder._sources_args
        text = pathlib.Path(path).read_text()
        entry = f"{_ENTRY}_{os.getpid()}_{hashlib.sha256((path + text).encode()).hexdigest()[:16]}"
        asked = self._folder / f"{entry}.asked"
        asked.write_text(_in_namespace(text, entry))
        asked.rename(self._source(entry))
        return entry

    def _source(self, entry):
        return self._folder / f"{entry}.cpp"

    def _library(self, entry):
        return self._folder / f"{entry}.so"

    def _build(self, own):
        from torch._inductor import cpp_builder

        self._clear()
        others = [each.stem for each in self._folder.glob(f"{_ENTRY}_*.cpp") if each.stem not in set(own)]
        entries = [entry for entry in [*own, *others][: max(_MOST, len(own))] if not self._library(entry).exists()]
        # A compiler may outlive who started it: names of this process's own.
        source, library = (self._folder / f"together_{os.getpid()}{suffix}" for suffix in (".cpp", ".so"))
        source.write_text(
            "#define PY_SSIZE_T_CLEAN\n"
            + "".join(f"#include <{name}>\n" for name in _INCLUDES)
            + "".join(self._source(entry).read_text() for entry in entries)
        )
        for entry in entries:
            self._source(entry).unlink(missing_ok=True)  # also of a compile that fails: who asked builds alone then
        first = self._builder
        replaced = {first._sources_args: str(source), first.get_target_file_path(): str(library)}
        command = [replaced.get(word, word) for word in shlex.split(first.get_command_line())]
        cpp_builder.run_compile_cmd(shlex.join(command), cwd=str(self._folder))
        for entry in entries:
            os.link(library, self._library(entry))
        library.unlink()
        source.unlink()

    def _clear(self):
        for each in self._folder.iterdir():
            with contextlib.suppress(OSError):
                if each.name != "lock" and time.time() - each.stat().st_mtime > _KEPT_SECONDS:
                    each.unlink()


def _import_from(cache, library, entry, key):
    """The module of a kernel that lies in a library with others."""
    import torch

    module_name = f"{key}.{entry}"
    os.environ["_TORCHINDUCTOR_PYOBJECT_TENSOR_DATA_PTR"] = str(
        torch._C._dynamo.guards._torchinductor_pyobject_tensor_data_ptr
    )
    specification = importlib.util.spec_from_file_location(module_name, library)
    module = importlib.util.module_from_spec(specification)
    sys.modules[module_name] = module
    cache._loaded_module_names.add(module_name)
    specification.loader.exec_module(module)
    return module


def share():
    """Names the folder that the workers of one parent build in."""
    global _folder
    _folder = pathlib.Path(tempfile.gettempdir()) / f"touchstone-kernels-{os.getuid()}-{os.getppid()}"


def _open_folder():
    """Makes it, for this user alone; what is left of parents that ended long ago is removed."""
    for left in _folder.parent.glob(f"touchstone-kernels-{os.getuid()}-*"):
        with contextlib.suppress(OSError):
            if left != _folder and time.time() - max(each.stat().st_mtime for each in [left, *left.iterdir()]) > 86400:
                shutil.rmtree(left, ignore_errors=True)
    _folder.mkdir(mode=0o700, exist_ok=True)
    made = _folder.stat()
    if made.st_uid != os.getuid() or made.st_mode & 0o077:
        raise PermissionError(f"{_folder} belongs to somebody else.")


def _fastest_linker(compiler):
    """The first one that the compiler takes; None: its own."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "empty.cpp"
        source.write_text("")
        for name in _LINKERS:
            if shutil.which("ld." + name):
                command = [compiler, "-shared", "-fPIC", f"-fuse-ld={name}", str(source), "-o", f"{source}.so"]
                if subprocess.run(command, capture_output=True).returncode == 0:
                    return name
    return None


def install():
    """From now on, for this process and those that it forks."""
    global _installed
    if _installed:
        return
    from torch._inductor import codecache, cpp_builder, cpu_vec_isa

    _installed = True
    _open_folder()
    cpu_vec_isa.pick_vec_isa()  # compiles to find out: kept where later workers find it, too
    cache = codecache.CppPythonBindingsCodeCache
    build_alone, import_one, run_command = (
        codecache._worker_compile_cpp,
        cache._load_library_inner,
        cpp_builder._run_compile_cmd,
    )
    linker = _fastest_linker(cpp_builder.get_cpp_compiler())

    def load_pybinding(cls, *arguments, **keywords):
        if cls is not cache:
            return cls.load_pybinding_async(*arguments, **keywords)()
        kernel = _Kernel(cls.load_pybinding_async(*arguments, **keywords))
        _waiting.append(kernel)
        return kernel

    def worker_compile_cpp(lock_path, builders):
        if _noted is not None:
            if len(builders) == 1 and not os.path.exists(builders[0].get_target_file_path()):
                _noted.extend(builders)
            raise _Noted
        if any(builder.get_target_file_path() not in _built for builder in builders):
            build_alone(lock_path, builders)

    def load_library_inner(cls, path, key):
        return _import_from(cls, *_built[path], key) if path in _built else import_one.__func__(cls, path, key)

    def run_compile_cmd(command, cwd):
        words = shlex.split(command)
        if linker is not None and "-shared" in words:
            command = shlex.join([*words, "-fuse-ld=" + linker])
        run_command(command, cwd)

    cache.load_pybinding = classmethod(load_pybinding)
    cache._load_library_inner = classmethod(load_library_inner)
    codecache._worker_compile_cpp = worker_compile_cpp
    cpp_builder._run_compile_cmd = run_compile_cmd
