"""Kernels that are built together compute what each computes that is built alone: `check_inductor_builds.py SOURCE_FOLDER`.

Run with the Python that has PyTorch.
"""

import importlib.util
import os
import pathlib
import sys
import unittest

os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
import torch
import torch._inductor.config
from torch._inductor import codecache, cpu_vec_isa
from torch._inductor.utils import fresh_cache

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()


def loaded():
    file = ROOT / "backends" / "torch_compile" / "bridge" / "inductor_builds.py"
    specification = importlib.util.spec_from_file_location("inductor_builds", file)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def program(x):
    """A graph of two kernels: the product between them is not Inductor's own."""
    y = torch.mm(x.sin() + 1, x.t())
    return y.exp().sum(1), y.amax(0)


def results(look=lambda: None):
    """The bits of what compiled code returns, and what `look` sees while the kernels' files are there."""
    torch.manual_seed(1)
    with fresh_cache():
        torch._dynamo.reset()
        returned = torch.compile(program)(torch.rand(5, 7))
        return [each.view(torch.int32).tolist() for each in returned], look()


class InductorBuilds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)
        torch._inductor.config.compile_threads = 1
        cpu_vec_isa.pick_vec_isa()
        cls.alone, _ = results()
        cls.builds = loaded()
        cls.builds.share()
        cls.builds.install()
        cls.builds.install()  # a second time does nothing

    def setUp(self):
        self.builds.forget()
        self.folder = next((folder.parent for folder in self.builds._folder.glob("*/lock")), None)

    def test_a_kernels_built_together_are_one_library_and_compute_the_same(self):
        sizes = lambda: [os.path.getsize(library) for library, _ in self.builds._built.values()]
        bits, sizes = results(sizes)
        self.assertEqual(bits, self.alone)
        self.assertEqual((len(sizes), len(set(sizes))), (2, 1))

    def test_what_others_ask_for_is_built_along(self):
        asked = self.folder / "kernel_of_another.cpp"
        asked.write_text('namespace kernel_of_another { extern "C" int answer() { return 42; } }')
        self.assertEqual(results()[0], self.alone)
        self.assertTrue((self.folder / "kernel_of_another.so").exists())

    def test_what_does_not_compile_with_others_is_built_alone(self):
        (self.folder / "kernel_wrong.cpp").write_text("this is no C++")
        self.assertEqual(results()[0], self.alone)
        self.assertEqual(self.builds._built, {})
        self.assertFalse((self.folder / "kernel_wrong.cpp").exists(), "it would spoil the next compile, too")

    def test_an_error_of_the_compiler_is_inductors(self):
        with fresh_cache(), self.assertRaises(Exception) as raised:
            codecache.CppPythonBindingsCodeCache.load_pybinding([], "extern \"C\" void kernel() { no such thing; }")()
        self.assertIn("CppCompileError", type(raised.exception).__name__)


unittest.main()
