"""What `touchstone run --trace-calls` prints, and what it refuses: `check_trace_calls.py BINARY ROOT`."""

import pathlib
import sys
import tempfile
import unittest

from built_binary import GOOD_CASE, results_of, touchstone

ROOT = pathlib.Path(sys.argv[2]).resolve()
CASE = GOOD_CASE.replace("kind)\n    return (x,)", "kind).requires_grad_()\n    return (x,)").replace(
    "return torch.sin(x)", "return torch.nn.functional.silu(x) + 1").replace("seed=1)", "seed=1, backward=[0])")


class TraceCalls(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.file = pathlib.Path(held.name) / "case.py"
        self.file.write_text(CASE)

    def traced(self, backends, *options, status=0):
        run = touchstone("run", self.file, "--backends", backends, "--trace-calls", *options)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run

    def test_calls_of_what_the_program_calls(self):
        lines = self.traced("eager").stdout.splitlines()
        call = ["       silu = aten::silu(f32[2, 3]) -> f32[2, 3]  # return torch.nn.functional.silu(x) + 1",
                "       add = aten::add.Tensor(f32[2, 3], 1) -> f32[2, 3]  # return torch.nn.functional.silu(x) + 1"]
        self.assertTrue(lines[0].startswith("ok "), lines)
        self.assertEqual(lines[1:-1], ["     call 0, forward: graph 0, captured", *call, "     call 1, forward: graph 0, captured", *call])

    def test_calls_of_forward_and_backward_decomposed(self):
        (row,) = results_of(self.traced("aot_eager_decomp_partition", "--json"))
        runs = row["traced"]["runs"]
        self.assertEqual([(run["call"], run["step"], run["graph"], run["stage"]) for run in runs],
                         [(0, "forward", 0, "forward"), (0, "backward", 0, "backward"), (1, "forward", 0, "forward")])
        forward = [call.split("(")[0] for call in runs[0]["calls"]]
        self.assertIn("exp = aten::exp", forward)
        self.assertNotIn("silu = aten::silu", forward)
        self.assertEqual((row["traced"]["failure"], row["traced"]["raised"]), ("", ["", ""]))
        self.assertEqual(row["outcome"], "Agreed")

    def test_what_shows_no_calls_says_why(self):
        self.assertIn("2 operators in code of the compiler's own, whose calls no mode sees", self.traced("ts").stdout)
        self.file.write_text(CASE.replace("return torch.nn.functional.silu(x) + 1", "return x"))
        self.assertIn("calls: no compiled graph ran", self.traced("eager", status=1).stdout)  # Vacuous

    def test_what_is_traced_is_no_run(self):
        self.file.write_text(CASE.replace("return torch.nn.functional.silu(x) + 1", "torch.ops.aten._print(\"told\")\n    r = torch.rand((3,))\n    return x * r + torch.zeros((3,))"))
        for backend in ("eager", "aot_eager", "aot_eager_decomp_partition", "pre_dispatch_eager"):
            (row,) = results_of(self.traced(backend, "--json"))
            runs = row["traced"]["runs"]
            stage = "forward" if backend.startswith("aot") else runs[0]["stage"]
            forwards = [run for run in runs if run["step"] == "forward"]
            self.assertEqual([(run["call"], run["graph"], run["stage"]) for run in forwards], [(0, 0, stage), (1, 0, stage)], backend)
            self.assertEqual([sum("_print" in call for call in run["calls"]) for run in forwards], [1, 1], backend)

    def test_what_raises_is_said(self):
        self.file.write_text(CASE.replace("silu(x) + 1", "silu(x).index_select(0, torch.tensor([9]))"))
        self.assertIn("     call 0 raised IndexError: ", self.traced("eager", status=1).stdout)

    def test_pytorch_is_refused_with_what_to_do(self):
        text = self.traced("eager,torch:inductor", status=2).stderr
        self.assertIn("the graphs of `torch:inductor` run in the installed PyTorch", text)
        self.assertIn("`--backends aot_eager_decomp_partition`", text)

    def test_without_it_nothing_is_traced(self):
        run = touchstone("run", self.file, "--backends", "eager", "--json")
        self.assertNotIn("traced", results_of(run)[0])

    def test_the_page_shows_what_is_printed(self):
        page = (ROOT / "docs" / "modes.md").read_text()
        file = ROOT / "corpus" / "features" / "custom_function.py"
        for backend in ("eager", "aot_eager"):
            lines = touchstone("run", file.relative_to(ROOT), "--backends", backend, "--trace-calls", cwd=ROOT).stdout.splitlines()
            shown = "".join(f"    {line}\n" for line in lines[:-1])
            self.assertIn(shown, page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
