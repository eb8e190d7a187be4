"""What `touchstone explain`, `ladder` and `bisect` show and how they fail: `check_explain.py BINARY ROOT`."""

import json
import pathlib
import re
import sys
import tempfile
import unittest

from built_binary import GOOD_CASE, touchstone

ROOT = pathlib.Path(sys.argv[2]).resolve()
NATIVE = ["eager", "aot_joint", "aot_functional", "aot_eager_default_partitioner", "aot_eager", "aot_eager_decomp_partition"]
TORCH = ["torch:eager_python", "torch:eager", "torch:aot_eager_default_partitioner", "torch:aot_eager", "torch:aot_eager_decomp_partition", "torch:inductor"]

HELPER = """def helper(x):
    print("helper")
    return torch.cos(x)


def program(x):
    y = torch.sin(x)
    z = helper(y)
    if z.sum().item() > 100:
        return z
    return z * 2"""
DYNAMIC = "COMPILE = dict(dynamic=True)\n\nCALLS ="
# The first size is given up in one Graph, and another one alone in the next.
GIVES_UP = GOOD_CASE.replace("    return (x,), ()", "    y = data((4, 3), torch.float32, (seed, 1), kind)\n    return (x, y), ()").replace(
    "def program(x):\n    return torch.sin(x)", "def program(x, y):\n    d = torch.cdist(x, y)\n    print(\"cut\")\n    return d * 2").replace(
    "CALLS =", DYNAMIC)
TWO_BREAKS = GOOD_CASE.replace("def program(x):\n    return torch.sin(x)", HELPER)


class Explain(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text):
        path = pathlib.Path(self.folder.name) / "case.py"
        path.write_text(text)
        return path

    def told(self, command, file, *arguments, status=0, **environment):
        run = touchstone(command, file, *arguments, **environment)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run

    def json(self, *arguments, **keywords):
        found = json.loads(self.told(*arguments, "--json", **keywords).stdout)
        self.assertEqual(found["schema"], 1)
        return found

    def line(self, text):
        return 1 + TWO_BREAKS.splitlines().index(text)

    def test_breaks_with_the_way_to_them(self):
        file = self.file(TWO_BREAKS)
        found = self.json("explain", file)
        self.assertEqual((found["graph_count"], found["graph_break_count"], found["op_count"]), (4, 3, 4))
        stacks = [[(f["function"], f["line"]) for f in each["user_stack"]] for each in found["break_reasons"]]
        call, prints = self.line("    z = helper(y)"), self.line('    print("helper")')
        decides = self.line("    if z.sum().item() > 100:")
        self.assertEqual(stacks, [[("program", call), ("helper", prints)], [("helper", prints)], [("program", decides)]])
        self.assertEqual(found["break_reasons"][0]["user_stack"][1]["text"], 'print("helper")')
        self.assertEqual(found["ops_per_graph"], [["aten::sin"], ["aten::cos"], ["aten::sum"], ["aten::mul.Tensor"]])
        text = self.told("explain", file).stdout
        self.assertTrue(text.startswith("Graph Count: 4\nGraph Break Count: 3\nOp Count: 4\nBreak Reasons:\n"), text)
        self.assertIn(f"      <FrameSummary file case.py, line {prints} in helper>\n        print(\"helper\")\n", text)
        for part in ("\nOps per Graph:\n  Ops 1:\n    aten::sin\n", "\nOut Guards:\n  Guard 1:\n", "\nCompile Times: "):
            self.assertIn(part, text)

    def test_a_backend_of_the_installed_pytorch(self):
        found = self.json("explain", self.file(TWO_BREAKS), "--backend", "torch:eager")
        self.assertEqual((found["graph_count"], found["ops_per_graph"]), (4, []))
        self.assertGreaterEqual(found["graph_break_count"], 2)
        self.assertTrue(all(each["reason"] and not each["user_stack"] for each in found["break_reasons"]))

    def test_recompiles_name_their_call(self):
        file = self.file(GOOD_CASE.replace("return (x,), ()", "return (x[:, seed:],), ()"))
        found = self.json("explain", file)
        self.assertEqual([each["call"] for each in found["recompiles"]], [1])
        self.assertIn("Recompiles: 1\n  Recompile 1, in call 1:\n    ", self.told("explain", file).stdout)
        self.assertEqual(self.json("explain", self.file(GOOD_CASE))["recompiles"], [])

    def test_graphs_of_attempts_that_were_given_up_are_told_apart(self):
        for backend in ("aot_eager", "eager", "ts", "pre_dispatch_eager"):
            file = self.file(GIVES_UP)
            found = self.json("explain", file, "--backend", backend)
            self.assertEqual((found["graph_count"], found["op_count"]), (2, 2), backend)
            self.assertEqual(found["ops_per_graph"], [["aten::cdist"], ["aten::mul.Tensor"]], backend)
            self.assertIn("in the compiler of 2 graphs", found["compile_times"], backend)
        found = self.json("explain", self.file(GIVES_UP))
        self.assertTrue(found["specializations"])
        self.assertGreater(len(found["given_up"]), 1)
        self.assertIn("aten::_cdist_forward is aten::_euclidean_dist for other sizes", found["given_up"])
        self.assertIn(f"\nGraphs Given Up: {len(found['given_up'])}\n  aten::_cdist_forward is ", found["text"])
        self.assertEqual(self.json("explain", self.file(GOOD_CASE))["given_up"], [])

    def test_dynamic_as_it_is_asked_for(self):
        file = self.file(GOOD_CASE.replace("    return (x,), ()", "    return (x[:, seed:].clone(),), ()"))
        for dynamic, symbolic in (([], False), (["--dynamic"], True), (["--dynamic", "true"], True), (["--dynamic", "false"], False)):
            guards = self.json("explain", file, *dynamic)["guards"]
            self.assertEqual("2 <= L['x'].size()[0]" in guards, symbolic, (dynamic, guards))
        run = self.told("explain", file, "--dynamic", "maybe", status=2)
        self.assertIn("--dynamic: maybe not in {true,false,auto}", run.stderr)

    def test_a_number_that_a_symbol_cannot_be_is_named(self):
        file = self.file(GOOD_CASE.replace("return (x,), ()", "return (x, seed), ()").replace("program(x)", "program(x, n)").replace(
            "torch.sin(x)", "x * n").replace("seed=1", "seed=5").replace("seed=2", "seed=1").replace("CALLS =", DYNAMIC))
        found = self.json("explain", file)
        self.assertEqual([each["reason"] for each in found["recompiles"]], ["L['n'] != 1"])
        self.assertIn("___check_type_id(L['n'], int) and L['n'] not in (0, 1)", found["guards"])

    def test_explaining_what_cannot_be(self):
        file = self.file(GOOD_CASE)
        self.told("explain", file, "--call", "2", status=2)
        run = self.told("explain", self.file(GOOD_CASE.replace("torch.sin(x)", "x.view(5, 5)")), status=4)
        self.assertIn("raises in eager", run.stderr)

    def test_the_native_ladder(self):
        file = self.file(GOOD_CASE.replace("    return torch.sin(x)", "    y = torch.sin(x)\n    y.add_(1)\n    return y.exp()"))
        found = self.json("ladder", file, "--family", "native")
        (family,) = found["families"]
        self.assertEqual([rung["backend"] for rung in family["rungs"]], NATIVE)
        self.assertEqual([rung["outcome"] for rung in family["rungs"]], ["Agreed"] * len(NATIVE))
        self.assertIsNone(family["first"])
        text = self.told("ladder", file, "--family", "native").stdout
        self.assertRegex(text, r"(?m)^  aot_functional +Agreed +functionalization")
        self.assertIn("No rung differs.", text)

    def test_the_torch_ladder_names_the_guilty(self):
        file = ROOT / "corpus" / "edge_classes" / "67_saved_copy_of_a_mutated_buffer.py"
        found = self.json("ladder", file, status=1)
        native, torch = found["families"]
        self.assertEqual([rung["backend"] for rung in torch["rungs"]], TORCH)
        self.assertEqual(torch["first"], "torch:aot_eager")
        self.assertEqual([rung["differs"] for rung in torch["rungs"]][:4], [False, False, False, True])
        self.assertEqual([rung["own_reason"] for rung in torch["rungs"]], [False] * 6)
        self.assertEqual((native["top"], torch["top"]), (NATIVE[-1], TORCH[-1]))
        self.assertIsNone(native["first"])
        self.assertIsNone(native["stages"])
        self.assertEqual((torch["stages"]["backend"], torch["stages"]["first"]), ("torch:aot_eager", "partition"))
        outcomes = {rung["stage"]: rung["outcome"] for rung in torch["stages"]["rungs"]}
        self.assertEqual(outcomes, {"tracing": "Holds", "partition": "Differs", "forward": "Holds", "backward": "Holds"})
        text = self.told("bisect", file, "--backend", "torch:aot_eager", status=1).stdout
        self.assertIn("\nFirst to differ: torch:aot_eager (the min-cut partition)\n", text)
        self.assertIn(f"torch._inductor.compiler_bisector run python {file}", text)

    def test_the_stages_of_backends_that_are_wrong_in_one(self):
        stages = {"wrong_forward": "forward", "wrong_backward": "backward", "wrong_gradient_of_partition": "partition", "raising_partition": "partition"}
        text = GOOD_CASE.replace("(seed, 0), kind)", "(seed, 0), kind).requires_grad_()")
        text = re.sub(r"seed=(\d)\)", r"seed=\1, backward=[0], tangent_seed=\1)", text)
        for name, stage in stages.items():
            backend = f"torch:planted_stages:{name}"
            file = self.file(text.replace("# touchstone: 1\n", f"# touchstone: 1\n# backend: {backend}\n"))
            found = self.json("ladder", file, "--family", "torch", status=1)["families"][0]
            self.assertEqual((found["first"], found["stages"]["backend"], found["stages"]["first"]), (backend, backend, stage))
            self.assertEqual([rung["stage"] for rung in found["stages"]["rungs"] if rung["outcome"] == "Differs"], [stage])

    def test_dynamos_rung_is_taken_apart(self):
        cases = ROOT / "tests" / "cases" / "torch_faults"
        number = '''    w = data((2, 3), torch.float32, (seed, 1), kind)
    return (x, w, seed), ()


def program(x, w, n):
    return x + w, n * 2
'''  # what a graph computes does not hang on n
        unguarded = GOOD_CASE.replace("    return (x,), ()\n\n\ndef program(x):\n    return torch.sin(x)\n", number)
        self.assertIn("n * 2", unguarded)
        around = "the code around the captured graph"
        for fault, text, stage in (
            ("alpha_is_dropped", None, "captured"),
            ("numbers_are_not_guarded", unguarded, "guards"),
            ("third_call_skips_the_graph", None, around),
            ("tuples_become_lists", None, around),
        ):
            backend = f"torch:fault:{fault}"
            text = text or (cases / f"{fault}.py").read_text()
            file = self.file(text.replace("# touchstone: 1\n", f"# touchstone: 1\n# backend: {backend}\n"))
            with self.subTest(fault=fault, text=text):
                found = self.json("ladder", file, "--family", "torch", status=1)["families"][0]
                self.assertEqual((found["first"], found["stages"]["guilty"]), (f"{backend}@eager", stage), found["stages"])

    def test_no_stages_where_nothing_differs(self):
        found = self.json("ladder", self.file(GOOD_CASE), "--family", "torch")
        self.assertIsNone(found["families"][0]["stages"])

    def test_what_only_python_runs(self):
        file = self.file(GOOD_CASE.replace("    return (x,), ()", "    model = torch.nn.Linear(3, 3)\n    step = torch.optim.SGD(model.parameters(), lr=0.1)\n"
                                           "    return (x, model, step), ()").replace(
            "def program(x):\n    return torch.sin(x)",
            "def program(x, model, step):\n    step.zero_grad()\n    loss = model(x).sum()\n    loss.backward()\n    step.step()\n    return loss.detach()"))
        said = self.told("explain", file, status=4).stderr
        self.assertIn("only Python runs that; with `--backend torch:aot_eager` it is shown", said)
        self.assertIn("aot_eager  Unsupported: optimizers\n", self.told("run", file, "--backends", "aot_eager").stdout)
        found = self.json("explain", file, "--backend", "torch:eager")
        self.assertGreaterEqual(len(found["recompiles"]), 1, found)  # each call has an optimizer of its own

    def test_a_ladder_without_python(self):
        file = self.file(GOOD_CASE)
        found = self.json("ladder", file, TOUCHSTONE_PYTHON="/no/such/python")
        self.assertEqual([bool(family["rungs"]) for family in found["families"]], [True, False])
        self.assertIn("/no/such/python", found["families"][1]["reason"])
        self.told("ladder", file, "--family", "torch", status=3, TOUCHSTONE_PYTHON="/no/such/python")

    def test_a_ladder_of_what_raises(self):
        self.told("ladder", self.file("import os\n"), status=2)

    def test_bisecting_a_fault_to_its_application(self):
        # The first relu is of no consequence, the second and the third are.
        program = "    a = torch.gt(torch.relu(x), -100).to(torch.float32)\n    b = torch.relu(a)\n    return torch.relu(b) + x"
        file = self.file(GOOD_CASE.replace("    return torch.sin(x)", program))
        found = self.json("bisect", file, "--backend", "relu_accuracy_error_TESTING_ONLY", status=1)
        self.assertEqual(found["first"], "relu_accuracy_error_TESTING_ONLY")
        self.assertEqual(found["passes"], [{"pass": "relu_to_add", "applications": 3}])
        self.assertEqual((found["pass"], found["application"]), ("relu_to_add", 2))
        self.assertIn("relu", found["where"])
        found_there = self.file(file.read_text().replace("# touchstone: 1\n", "# touchstone: 1\n# backend: relu_accuracy_error_TESTING_ONLY\n"))
        self.assertEqual(self.json("bisect", found_there, status=1)["application"], found["application"])
        text = self.told("bisect", file, "--backend", "relu_accuracy_error_TESTING_ONLY", status=1).stdout
        self.assertRegex(text, r"(?m)^Application 2 of pass relu_to_add makes the difference: relu\w* \(found in \d+ runs\)\.$")

    def test_a_driver_from_outside_bisects(self):
        backend = "relu_accuracy_error_TESTING_ONLY"
        file = ROOT / "corpus" / "features" / "three_relus.py"
        asked = ("run", file, "--backends", backend, "--json")
        turned = {"TOUCHSTONE_BISECT_BACKEND": backend}

        def judged(**more):
            (result,) = json.loads(touchstone(*asked, **turned, **more).stdout)["results"]
            return result

        counted = judged()
        self.assertTrue(counted["outcome"].startswith("Differs"), counted)
        self.assertEqual(counted["passes"], [{"pass": "relu_to_add", "applications": 3}])
        outcomes, applied = [], []
        for bound in range(4):
            result = judged(TOUCHSTONE_BISECT_SUBSYSTEM="relu_to_add", TOUCHSTONE_BISECT_MAX=str(bound))
            outcomes.append(result["outcome"].startswith("Differs"))
            applied.append(result["last_applied"])
        self.assertEqual(outcomes, [False, False, True, True])
        self.assertEqual(applied[2], self.json("bisect", file, "--backend", backend, status=1)["where"])

    def test_a_driver_from_outside_is_told_of_what_would_be_passed_over(self):
        file = ROOT / "corpus" / "features" / "three_relus.py"
        bound = {"SUBSYSTEM": "dead_code", "MAX": "2"}
        for backends, settings, words in (
                ("aot_eager", bound, "TOUCHSTONE_BISECT_SUBSYSTEM is set and TOUCHSTONE_BISECT_BACKEND is not"),
                ("aot_eager", {"MAX": "2"}, "TOUCHSTONE_BISECT_MAX is set and TOUCHSTONE_BISECT_BACKEND is not"),
                ("aot_eager", {"BACKEND": "eager"}, "`eager`, which is not asked for: aot_eager runs"),
                ("aot_eager", {"BACKEND": "aot_eager", "MAX": "2"}, "Set both"),
                ("aot_eager", {"BACKEND": "aot_eager", "SUBSYSTEM": "cse", "MAX": "x"}, "a whole number"),
                ("aot_eager", {**bound, "BACKEND": "aot_eager", "SUBSYSTEM": "decompositions"}, "one of dead_code, cse, recomputation, saved_values"),
                ("aot_joint", {**bound, "BACKEND": "aot_joint", "SUBSYSTEM": "saved_values"}, "of `aot_joint` it can be one of dead_code"),
                ("invoke_subgraph", {**bound, "BACKEND": "invoke_subgraph", "SUBSYSTEM": "relu_to_add"}, "one of dead_code, cse"),
                ("eager", {**bound, "BACKEND": "eager"}, "`eager` has no pass")):
            with self.subTest(backends, **settings):
                run = touchstone("run", file, "--backends", backends, **{f"TOUCHSTONE_BISECT_{name}": value for name, value in settings.items()})
                self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
                self.assertIn(words, run.stderr)

    def test_passes_that_are_counted_are_those_that_can_be_named(self):
        names = "backward_of_full_reductions", "hooks", "hook_and_gradient_inside", "special_values"
        files = [ROOT / "corpus" / "features" / f"{name}.py" for name in names]
        passes = {"aot_joint": {"dead_code"}, "aot_eager_default_partitioner": {"dead_code", "saved_values"},
                  "aot_eager": {"dead_code", "cse", "recomputation", "saved_values"},
                  "aot_eager_decomp_partition": {"decompositions", "dead_code", "cse", "recomputation", "saved_values"}}
        passes |= {"eager": set(), "invoke_subgraph": passes["aot_eager"], "rare_accuracy_error_TESTING_ONLY": passes["aot_eager"],
                   "aot_eager_decomp_partition_crossref": passes["aot_eager_decomp_partition"]}
        for backend, expected in passes.items():
            run = touchstone("run", *files, "--backends", backend, "--json", TOUCHSTONE_BISECT_BACKEND=backend)
            counted = {each["pass"] for row in json.loads(run.stdout)["results"] for each in row.get("passes", [])}
            self.assertEqual(counted, expected, backend)
            for each in passes["aot_eager_decomp_partition"]:
                bounded = touchstone("run", files[0], "--backends", backend, TOUCHSTONE_BISECT_BACKEND=backend,
                                     TOUCHSTONE_BISECT_SUBSYSTEM=each, TOUCHSTONE_BISECT_MAX="0")
                self.assertEqual(bounded.returncode != 2, each in counted, f"{backend} {each} {bounded.stderr}")

    def test_bisecting_what_agrees(self):
        found = self.json("bisect", self.file(GOOD_CASE))
        self.assertEqual((found["first"], found["pass"], found["runs"]), (None, None, 0))
        self.assertEqual([rung["backend"] for rung in found["rungs"]], NATIVE[:-1], "up to aot_eager")
        self.told("bisect", self.file(GOOD_CASE), "--backend", "aot_eagre", status=2)

    def test_bisect_help_lists_the_passes(self):
        text = touchstone("bisect", "--help").stdout
        known = set()
        for folder in ("backends", "graph"):
            for source in (ROOT / folder).rglob("*.cpp"):
                known.update(re.findall(r'mayApply\("(\w+)"', source.read_text()))
        self.assertTrue(known)
        for name in known:
            self.assertRegex(text, rf"(?m)^  {name} +of ")

    def test_help_teaches(self):
        for command in ("explain", "ladder", "bisect"):
            text = touchstone(command, "--help").stdout
            self.assertIn("Example:", text)
            self.assertIn(f"touchstone {command} ", text)
            self.assertIn(f"touchstone {command} case.py", touchstone("--help").stdout)

    def test_what_the_documentation_shows(self):
        shown = re.findall(
            r"^```\n\$ \./touchstone ((?:explain|ladder|bisect) .+)\n([\s\S]+?)^```$",
            (ROOT / "docs" / "stages.md").read_text(),
            re.MULTILINE,
        )
        self.assertEqual([command.split()[0] for command, _ in shown], ["explain", "ladder", "bisect"])
        times = re.compile(r"\d+\.\d+ s")
        for command, output in shown:
            self.assertEqual(times.sub("", touchstone(*command.split(), cwd=ROOT).stdout), times.sub("", output))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
