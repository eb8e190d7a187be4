"""Generated Cases under every backend that there is: `check_every_backend.py BINARY`.

The list is that of `touchstone backends`, so a new backend is tested without a change here. What is wrong on purpose has tests of its own.
"""

import json
import tempfile
import unittest

from built_binary import available, touchstone

SEED = 9
COMPILERS = {"ts", "simple_ts_compile", "ts_compile", "aot_ts", "nnc_jit", "memory_efficient_fusion"}


# What a backend may say of a Case that is right: it gave eager's answer, or none for a reason that is known.
FINE = {"Agreed", "Known", "Limit", "Unsupported", "Upstream", "BothRejected", "EagerRejected"}


class EveryBackend(unittest.TestCase):
    def outcomes(self, backends, cases, *flags):
        """How often each backend came to which outcome; each compiled something, and agreed with eager more than once."""
        with tempfile.TemporaryDirectory() as findings:
            run = touchstone("fuzz", "--cases", cases, "--seed", SEED, "--backends", ",".join(backends), "--findings", findings, "--jobs", 1,
                             "--judge-only", "--json", *flags)  # fmt: skip
        self.assertIn(run.returncode, (0, 1), run.stderr)
        report = json.loads(run.stdout)
        self.assertEqual(set(report["backends"]), set(backends))
        for name in backends:
            counts, effort = report["backends"][name], report["effort"][name]
            with self.subTest(backend=name):
                self.assertEqual(sum(counts.values()), cases, counts)
                self.assertGreaterEqual(counts.get("Agreed", 0), 2, counts)
                self.assertGreater(effort["calls_judged"], 2 * cases // 4)
                self.assertGreater(effort["graphs"] if name != "torch:eager_python" else 1, 0)
        return report["backends"]

    def test_native(self):
        names = available("native")
        self.assertLessEqual(COMPILERS, set(names))
        for name, counts in self.outcomes(names, 12).items():
            with self.subTest(backend=name):
                self.assertLessEqual(set(counts), FINE)

    def test_torch(self):
        names = available("torch")
        self.assertIn("torch:inductor", names)
        small = ("--calls", 2, "--part", "no-all", "--operators", "sin,mul,add,mm,relu,sum,view,t")
        for name, counts in self.outcomes(names, 3, *small).items():
            with self.subTest(backend=name):
                below = {"Differs"} if name not in ("torch:eager_python", "torch:eager") else set()  # PyTorch's own defects
                self.assertLessEqual(set(counts), FINE | below)


if __name__ == "__main__":
    unittest.main(argv=["check_every_backend"])
