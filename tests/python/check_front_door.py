"""The Python package `touchstone`: `check_front_door.py BINARY`, run with the Python that has PyTorch and pytest.

Planted backends are told by the property that they get wrong, honest ones agree on two hundred programs, scripts show their
difference alone, and a suite that is judged in shadow gives what it gives without.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python"
sys.path[:0] = [str(PACKAGE), str(pathlib.Path(__file__).parent)]
BINARY = pathlib.Path(sys.argv[1]).resolve()
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PACKAGE), "OMP_NUM_THREADS": "1", "TOUCHSTONE_COMMAND": str(BINARY)}

import torch  # noqa: E402

import front_door_programs  # noqa: E402
import planted_front_door as planted  # noqa: E402
import touchstone  # noqa: E402


def relu(x):
    return torch.relu(x) * 2


def copied(x):
    return x.clone()


def doubled(x):
    return x * 2


def written(x):
    x.add_(1)
    return x * 2


def summed_twice(x):
    return x.sin() + x * 3


def drops_out(x):
    return torch.nn.functional.dropout(x, p=0.5, training=False).add_(1), x


PLANTED = {  # backend: program, whether its argument requires grad, the property that differs first
    "first_result": (doubled, False, "values"),
    "alias_for_copy": (copied, False, "partition"),
    "wrong_strides": (doubled, False, "strides"),
    "dropped_mutation": (written, False, "input_values"),
    "relu_and_one": (relu, False, "values"),
    "skipped_term": (summed_twice, True, "gradient_values"),
    "reused_buffer": (doubled, False, "values"),
    "leaked_draw": (doubled, False, "state"),
    "left_grad_mode_off": (doubled, False, "state"),
    "detaches": (doubled, True, "requires_grad"),
    "int_for_float": (doubled, False, "dtype"),
}


def argument(requires_grad):
    torch.manual_seed(0)
    return (torch.randn(3, 4, requires_grad=requires_grad),)


class RefusesItsBackward(torch.autograd.Function):
    """In eager mode alone."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        if torch.compiler.is_compiling():
            return gradient * 2
        raise RuntimeError("not here")


class Judge(unittest.TestCase):
    def test_each_planted_backend_is_told(self):
        for name, (program, requires_grad, expected) in PLANTED.items():
            with self.subTest(name):
                verdict = touchstone.judge(program, argument(requires_grad), getattr(planted, name))
                self.assertEqual(verdict.outcome, "Differs", verdict)
                self.assertEqual(verdict.differences[0].property, expected, verdict)
                honest = touchstone.judge(program, argument(requires_grad), planted.plain)
                self.assertTrue(honest.agreed, honest)

    def test_what_a_later_call_overwrites_is_told_of_the_first(self):
        verdict = touchstone.judge(doubled, argument(False), planted.reused_buffer)
        self.assertIn((0, "output after call 1"), {(each.call, each.where) for each in verdict.differences})

    def test_honest_backends_agree(self):
        torch.manual_seed(0)
        programs = front_door_programs.programs()
        self.assertGreaterEqual(len(programs), 200)
        for backend in ("eager", "aot_eager"):
            outcomes = collections.Counter()
            for program, arguments in programs:
                verdict = touchstone.judge(program, arguments, backend)
                outcomes[verdict.outcome] += 1
                self.assertIn(verdict.outcome, ("Agreed", "Vacuous"), f"{program}: {verdict}")
            self.assertEqual(outcomes["Vacuous"], 2)  # what returns its argument, and what has a size that depends on values

    def test_other_outcomes(self):
        self.assertEqual(touchstone.judge(doubled, argument(False), planted.refuses).outcome, "BackendRejected")
        self.assertEqual(touchstone.judge(lambda x: x, argument(False), "eager").outcome, "Vacuous")
        self.assertEqual(touchstone.judge(lambda x: x @ x, argument(False), "eager").outcome, "BothRejected")
        alone = touchstone.judge(RefusesItsBackward.apply, argument(True), "aot_eager")
        self.assertEqual(alone.outcome, "MissingRefusal", alone)
        lenient = touchstone.judge(lambda x: x.index_select(0, torch.tensor([7])), argument(False), planted.first_result)
        self.assertEqual(lenient.outcome, "BothRejected")

    def test_memory_without_values_is_no_difference(self):
        verdict = touchstone.judge(lambda x: torch.empty_like(x), (torch.randn(64),), planted.relu_and_one)
        self.assertIn(verdict.outcome, ("Agreed", "EagerUnstable"), verdict)
        verdict = touchstone.judge(lambda x: torch.empty(64).add(x), (torch.randn(64),), planted.adds_one)
        self.assertIn(verdict.outcome, ("Agreed", "EagerUnstable"), verdict)  # one more than a huge number may be the same

    def test_the_arguments_and_the_program_stay_what_they_are(self):
        module = torch.nn.BatchNorm1d(4)
        x = torch.randn(3, 4)
        before, state, version = x.clone(), torch.get_rng_state(), x._version
        self.assertTrue(touchstone.judge(module, (x,), "eager"))
        self.assertTrue(touchstone.judge(written, (x,), "eager"))
        self.assertTrue(torch.equal(x, before) and x._version == version and torch.equal(torch.get_rng_state(), state))
        self.assertEqual(int(module.num_batches_tracked), 0)
        self.assertIsNone(module.weight.grad)

    def test_calls_share_what_stands_in_several(self):
        x = torch.zeros(3)
        verdict = touchstone.judge(lambda a: (a.add_(1), a.sum().item()), calls=[(x,), (x,)], backend="eager")
        self.assertTrue(verdict.agreed, verdict)
        self.assertEqual(len(verdict.calls), 2)

    def test_wrong_use_is_named(self):
        for wrong in (lambda: touchstone.judge(3, ()), lambda: touchstone.judge(doubled), lambda: touchstone.judge(doubled, torch.ones(2))):
            self.assertRaises(TypeError, wrong)
        with self.assertRaisesRegex(touchstone.CannotCopy, "dense"):
            touchstone.judge(doubled, (torch.eye(3).to_sparse(),), "eager")


class Copies(unittest.TestCase):
    def test_a_copy_keeps_what_a_program_can_see(self):
        from touchstone.copies import Copier

        base = torch.arange(12.0)
        view, again, leaf = base[2:8].view(2, 3).t(), torch.as_strided(base, (4,), (3,), 1), torch.randn(3, requires_grad=True)
        values = (base, view, again, leaf, leaf * 2, [leaf, view], torch.nn.Parameter(torch.ones(2)), base.data)
        copier = Copier()
        copies = copier.copy(values)
        for one, other in zip(values[:5], copies[:5]):
            self.assertTrue(torch.equal(one, other) and one is not other)
            self.assertEqual((one.stride(), one.storage_offset(), one.requires_grad, one.is_leaf),
                             (other.stride(), other.storage_offset(), other.requires_grad, other.is_leaf))
        self.assertEqual(copies[0].untyped_storage().data_ptr(), copies[1].untyped_storage().data_ptr())
        self.assertEqual(copies[0].untyped_storage().data_ptr(), copies[2].untyped_storage().data_ptr())
        self.assertNotEqual(copies[0].untyped_storage().data_ptr(), base.untyped_storage().data_ptr())
        self.assertEqual(copies[0].untyped_storage().data_ptr(), copies[7].untyped_storage().data_ptr())
        self.assertTrue(copies[5][0] is copies[3] and copies[5][1] is copies[1])
        self.assertIs(type(copies[6]), torch.nn.Parameter)
        self.assertTrue(copier.source(copies[4]).requires_grad)
        tied = Copier().copy(front_door_programs.Tied())
        self.assertIs(tied.first.weight, tied.second.weight)


class Numerics(unittest.TestCase):
    def test_rounding_is_told_from_a_wrong_value(self):
        from touchstone.numerics import value_difference

        eager = torch.tensor([1.0, float("nan"), 0.0])
        self.assertEqual(value_difference(eager, eager.clone()), "")
        self.assertIn("1 of 3", value_difference(eager, torch.tensor([1.0, float("nan"), -0.0])))
        off = torch.tensor([1.0 + 2e-6, float("nan"), 0.0])
        exactly = lambda: eager.double()  # noqa: E731
        self.assertIn("1 of 3", value_difference(eager, off))
        self.assertEqual(value_difference(eager, off, exactly, exact=False), "")
        self.assertIn("1 of 3", value_difference(eager, torch.tensor([1.001, float("nan"), 0.0]), exactly, exact=False))


class Scripts(unittest.TestCase):
    def run_alone(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "script.py"
            file.write_text(text)
            environment = {name: each for name, each in ENVIRONMENT.items() if name != "PYTHONPATH"}
            return subprocess.run([sys.executable, file], capture_output=True, text=True, env=environment, timeout=120)

    def test_a_script_shows_the_difference_alone(self):
        for program, backend in ((drops_out, "aot_eager"), (relu, planted.first_result), (copied, planted.alias_for_copy), (doubled, planted.reused_buffer)):
            text = touchstone.judge(program, argument(False), backend).script()
            run = self.run_alone(text)
            self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
            self.assertNotIn("Traceback", run.stderr)
        text = touchstone.judge(drops_out, argument(False), "aot_eager").script().replace("backend=aot_eager", "")
        honest = self.run_alone(text.replace("torch.compile(program, backend=", "torch.compile(program, backend='eager') or ("))
        self.assertEqual((honest.returncode, honest.stdout), (0, "no difference\n"), honest.stderr)

    def test_a_script_keeps_closures_and_modules(self):
        layer, scale = torch.nn.Linear(4, 4), torch.rand(4)

        def program(x):  # the script has other things of this name
            return drops_out(layer(x) * scale)[0], drops_out(x)[1]

        run = self.run_alone(touchstone.judge(program, argument(False), "aot_eager").script())
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertNotIn("Traceback", run.stderr)

    def test_a_program_without_source_is_refused(self):
        names = {"torch": torch}
        exec("def unknown(x):\n    return torch.nn.functional.dropout(x, training=False).add_(1), x\n", names)
        verdict = touchstone.judge(names["unknown"], argument(False), "aot_eager")
        with self.assertRaisesRegex(ValueError, "source"):
            verdict.script()


class Property(unittest.TestCase):
    def test_a_wrong_program_is_found_and_can_be_made_again(self):
        @touchstone.property(backend="aot_eager", runs=10, seed=3, shrink=False)
        def wrong(x=touchstone.tensors()):
            return drops_out(x)

        with self.assertRaises(AssertionError) as first:
            wrong()
        with self.assertRaises(AssertionError) as second:
            wrong()
        self.assertEqual(str(first.exception), str(second.exception))
        self.assertIn("TOUCHSTONE_SEED=3", str(first.exception))
        self.assertIn("def inputs():", str(first.exception))

    def test_a_right_program_passes(self):
        @touchstone.property(backend="eager", runs=12, shrink=False)
        def right(x=touchstone.tensors(("n", "m"), special=True), y=touchstone.tensors(("m",)), n=touchstone.integers(1, 3), kind=touchstone.one_of("a")):
            return x * n + y

        right()

        @touchstone.property(backend=planted.wrong_strides, runs=12, shrink=False)
        def sensitive(x=touchstone.tensors(("n", "m"))):
            return x * 2

        self.assertRaisesRegex(AssertionError, "strides", sensitive)

    def test_draws_have_the_layouts_that_were_asked_for(self):
        from touchstone.strategies import Drawing

        drawn = [touchstone.tensors(layout="gaps", min_dims=2, share=False).draw(Drawing.of_seed(seed)) for seed in range(20)]
        self.assertTrue(any(not each.is_contiguous() for each in drawn))
        drawings = [Drawing.of_seed(seed) for seed in range(60)]
        pairs = [(touchstone.tensors(("n",)).draw(each), touchstone.tensors(("n",)).draw(each)) for each in drawings]
        shared = [one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr() for one, other in pairs]
        self.assertTrue(5 < sum(shared) < 40, sum(shared))
        with self.assertRaisesRegex(ValueError, "transposed"):
            touchstone.tensors(layout="diagonal")

    def test_a_property_that_compares_nothing_fails(self):
        @touchstone.property(backend="eager", runs=3, shrink=False)
        def vacuous(x=touchstone.tensors()):
            return x

        self.assertRaisesRegex(AssertionError, "No draw", vacuous)


class Command(unittest.TestCase):
    def setUp(self):
        os.environ["TOUCHSTONE_COMMAND"] = str(BINARY)
        self.addCleanup(os.environ.pop, "TOUCHSTONE_COMMAND", None)

    def test_a_campaign_from_python(self):
        with tempfile.TemporaryDirectory() as folder:
            campaign = touchstone.fuzz("eager", cases=20, seed=7, findings=folder, timeout=200)
        self.assertTrue(campaign, campaign)
        self.assertEqual(sum(campaign.outcomes["eager"].values()), 20)
        self.assertEqual((campaign.summary["seed"], campaign.files), (7, []))

    def test_a_campaign_that_finds_something_is_false(self):
        with tempfile.TemporaryDirectory() as folder:
            wrong = touchstone.fuzz("relu_accuracy_error_TESTING_ONLY", cases=200, seed=1, max_findings=1, findings=folder)
            self.assertFalse(wrong)
            self.assertEqual([each.exists() for each in wrong.files], [True])

    def test_wrong_use_is_told(self):
        self.assertRaises(TypeError, touchstone.fuzz, "eager")
        self.assertRaisesRegex(touchstone.CommandError, "status 2", touchstone.fuzz, "no_such_backend", cases=1)
        os.environ["TOUCHSTONE_COMMAND"] = "/no/such/file"
        self.assertRaisesRegex(touchstone.CommandError, "cannot be run", touchstone.fuzz, "eager", cases=1)


SUITE = '''
import sys, warnings
import pytest, torch
sys.path.insert(0, {tests!r})
import planted_front_door as planted

total = 0

def drops_out(x):
    return torch.nn.functional.dropout(x, p=0.5, training=False).add_(1), x

def test_differs():
    torch.compile(drops_out, backend="aot_eager")(torch.randn(4))

def test_planted():
    assert torch.compile(torch.nn.ReLU(), backend="eager")(torch.ones(2)).sum() == 2
    torch.compile(lambda x: torch.relu(x), backend=planted.relu_and_one)(torch.ones(2))

def test_gradients():
    compiled = torch.compile(lambda x: x.sin() + 1, backend="aot_eager")
    x = torch.randn(4, requires_grad=True)
    for _ in range(3):
        compiled(x).sum().backward()
    assert torch.allclose(x.grad, 3 * x.cos())

def test_module_and_generator():
    module = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout())
    torch.manual_seed(0)
    compiled = torch.compile(module, backend="aot_eager")
    results = [compiled(torch.ones(2, 4)), torch.rand(1)]
    assert int(module[1].num_batches_tracked) == 1
    torch.manual_seed(0)
    assert torch.equal(results[0], module(torch.ones(2, 4))) and torch.equal(results[1], torch.rand(1))
    module.compile(backend="aot_eager")
    module(torch.ones(2, 4)).sum().backward()
    assert module[0].weight.grad is not None and int(module[1].num_batches_tracked) == 3

def test_python_state(capsys):
    seen, count = [], 0
    def appends(x):
        seen.append(1)
        return x + 1
    def counts(x):
        nonlocal count
        count += 1
        return x + 1
    def counts_globally(x):
        global total
        total += 1
        return x + 1
    def asks(x):
        return x + 1 if torch.compiler.is_compiling() else x + 2
    def prints(x):
        print("once")
        return x + 1
    for program in (appends, counts, counts_globally, asks, prints):
        torch.compile(program, backend="aot_eager")(torch.ones(2))
    assert (len(seen), count, total, capsys.readouterr().out) == (1, 1, 1, "once\\n")

def test_raises():
    with pytest.raises(Exception):
        torch.compile(lambda x: x @ x, backend="aot_eager")(torch.ones(3, 4))

def test_not_copied():
    torch.compile(lambda x: x.to_dense(), backend="eager")(torch.eye(3).to_sparse())

def test_identity():
    def program(x):
        return x
    compiled = torch.compile(program, backend="eager")
    x = torch.ones(2)
    assert compiled(x) is x and compiled.__name__ == "program"
    assert isinstance(torch.compile(torch.nn.ReLU()), torch._dynamo.OptimizedModule)
'''


DYING_SUITE = '''
import os, torch

def test_before():
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))

def test_dies():
    torch.compile(lambda x: x + 2, backend="eager")(torch.ones(2))
    os._exit(3)

def test_behind():
    torch.compile(lambda x: x + 3, backend="eager")(torch.ones(2))
'''

COMPILING_NOTHING = '''
import layers, torch
from layers import doubled

x = torch.arange(3.0)

def test_function():
    assert torch.equal(doubled(x), 2 * x) and torch.equal(layers.through(x), 2 * x) and layers.kept(x) is x

def test_module():
    layer, outer = layers.Scale(), torch.nn.Sequential(layers.Scale(), torch.nn.ReLU())
    with torch.no_grad():
        assert torch.equal(layers.Both()(x), 9 * x) and torch.equal(outer(x), 3 * x) and torch.equal(layer(x), 3 * x)
    assert torch.equal(torch.jit.trace(layer, x)(x), 3 * x) and torch.equal(torch.jit.script(doubled)(x), 2 * x)
    assert vars(layer).keys() == vars(layers.Scale()).keys()
'''
LAYERS = '''
import torch

def doubled(x):
    return x * 2

def _hidden(x):
    return x

def kept(x):
    return x

def through(x):
    return doubled(x)

class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.full((), 3.0))

    def forward(self, x):
        return x * self.factor

class Both(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Scale(), Scale()

    def forward(self, x):
        return self.second(self.first(x))
'''


class Shadow(unittest.TestCase):
    def pytest(self, *flags, plugin=True, files=1, suite=SUITE.format(tests=str(pathlib.Path(__file__).parent))):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(lambda: __import__("shutil").rmtree(folder))
        for number in range(files):
            (folder / f"test_suite_{number}.py").write_text(suite)
        plugins = ("-p", "touchstone.pytest_plugin") if plugin else ()
        (folder / "layers.py").write_text(LAYERS)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugins, *flags, folder]
        run = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, cwd=folder, timeout=300)
        return run, folder

    def test_the_suite_passes_as_it_does_without(self):
        run, _ = self.pytest(plugin=False)
        self.assertEqual(run.returncode, 0, run.stdout)
        run, folder = self.pytest("--touchstone", "--touchstone-report=report")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("test_suite_0.py::test_differs: argument[0]", run.stdout)
        self.assertIn("test_suite_0.py::test_planted: output", run.stdout)
        self.assertIn("12 calls judged: 9 Agreed, 2 Differs, 1 BothRejected", run.stdout)
        for reason in ("writes the variable count", "writes the global total", "asks whether it is compiled", "not dense"):
            self.assertIn(reason, run.stdout)
        scripts = sorted((folder / "report").glob("differs_*.py"))
        self.assertEqual(len(scripts), 2, run.stdout)
        for script in scripts:
            environment = {name: each for name, each in ENVIRONMENT.items() if name != "PYTHONPATH"}
            alone = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, env=environment)
            self.assertEqual(alone.returncode, 1, alone.stdout + alone.stderr)
            self.assertNotIn("Traceback", alone.stderr)

    def test_flags(self):
        run, folder = self.pytest("--touchstone", "--touchstone-strict", "--touchstone-gradients")
        self.assertEqual(run.returncode, 1, run.stdout)
        run, folder = self.pytest("--touchstone=aot_eager")
        self.assertNotIn("test_planted", run.stdout)
        self.assertIn("test_differs", run.stdout)
        run, _ = self.pytest("--touchstone", "--touchstone-sample=0")
        self.assertIn("0 calls judged: none", run.stdout)
        self.assertIn("left out by the sample", run.stdout)

    def test_a_suite_that_compiles_nothing(self):
        run, _ = self.pytest("--touchstone=eager", suite=COMPILING_NOTHING)
        self.assertIn("0 calls judged", run.stdout)
        named = ("--touchstone-compile=layers.d*,layers.kept", "--touchstone-compile-modules=layers")
        run, _ = self.pytest("--touchstone=eager", *named, suite=COMPILING_NOTHING)
        # Twice doubled, as `through` reads it, too; kept; Both once, the Scale of Sequential, the layer, and again where its trace is checked.
        self.assertIn("7 calls judged: 7 Agreed", run.stdout)
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_a_name_of_nothing_is_told(self):
        from touchstone.compiling import Compiling

        for wrong in ("touchstone.no_such", "touchstone.comparing._is*", "no_such_package.*", "touchstone"):
            with self.assertRaisesRegex(ValueError, re.escape(wrong)):
                Compiling([wrong], [], "eager").install()
        run, _ = self.pytest("--touchstone=eager", "--touchstone-compile=layers.no_such", suite=COMPILING_NOTHING)
        self.assertEqual(run.returncode, 4, run.stdout)
        self.assertIn("layers.no_such names no function", run.stderr)

    def test_what_is_compiled_is_judged_or_refused(self):
        run, _ = self.pytest("--touchstone-compile=layers.d*", suite=COMPILING_NOTHING)
        self.assertEqual(run.returncode, 4, run.stdout)
        self.assertIn("need --touchstone", run.stderr)

    def test_workers_of_xdist(self):
        run, folder = self.pytest("--touchstone", "--touchstone-report=report", "-n", "2", files=2)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("24 calls judged: 18 Agreed, 4 Differs, 2 BothRejected", run.stdout)
        self.assertNotIn("died", run.stdout)
        files = {file.name: json.loads(file.read_text()) for file in (folder / "report").glob("totals-*")}
        judged = {name: sum(each["outcomes"].values()) for name, each in files.items()}
        self.assertEqual(judged.keys(), {"totals-main.json", "totals-gw0.json", "totals-gw1.json"})
        self.assertEqual((judged["totals-main.json"], sum(judged.values())), (0, 24))
        self.assertTrue(all(each["ended"] for each in files.values()), files)

    def test_a_worker_that_dies_has_told_of_its_tests_before(self):
        run, _ = self.pytest("--touchstone", "-n", "1", suite=DYING_SUITE)
        self.assertEqual(run.returncode, 1, run.stdout)
        for part in ("2 calls judged: 2 Agreed", "gw0 died", "1 failed, 2 passed"):
            self.assertIn(part, run.stdout)

    def test_several_processes_are_summed(self):
        from touchstone.shadow_report import ShadowReport, merged, summary_lines
        from touchstone.shadowing import ShadowCall

        with tempfile.TemporaryDirectory() as folder:
            for worker in ("gw0", "gw1"):
                report = ShadowReport(folder, worker, None, lambda: "test_of_a_suite")
                report.judged(ShadowCall("Agreed", [], "", None))
                report.judged(ShadowCall("Differs", [touchstone.Difference(0, "strides", "output", "others")], "", None))
                report.left_out("no reason")
                report.write(1.0, 2.0)
            text = "\n".join(summary_lines(merged(folder), folder))
        for part in ("4 calls judged: 2 Agreed, 2 Differs", "took 2.0 s, judging took 4.0 s more, 3.0 times", "not judged: 2 calls: no reason", "strides: 2 calls"):
            self.assertIn(part, text)

    def test_suppressions(self):
        patterns = pathlib.Path(tempfile.mkdtemp()) / "known.txt"
        self.addCleanup(lambda: __import__("shutil").rmtree(patterns.parent))
        patterns.write_text(textwrap.dedent("""\
            # what is known
            * * *test_differs
            values output *test_planted
            """))
        run, _ = self.pytest("--touchstone", f"--touchstone-suppress={patterns}", "--touchstone-strict")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("2 Suppressed", run.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
