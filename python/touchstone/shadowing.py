"""Judges each call of a compiled callable beside an eager call on copies; the caller gets what the compiled one gives."""

import contextlib
import dataclasses
import functools
import io
import random
import threading
import time
import warnings

import torch

from touchstone.comparing import Comparison, Rules
from touchstone.copies import CannotCopy, Copier
from touchstone.judging import described_errors, outcome_of_errors, places_of
from touchstone.observing import Program, differentiable, tangents
from touchstone.process_state import ProcessState, fresh_memory_filled
from touchstone.reproduction import Reproduction
from touchstone.side_effects import why_not_twice

_EXACT_BACKENDS = ("eager", "aot_eager")


@dataclasses.dataclass(frozen=True)
class ShadowOptions:
    """What is judged, and at what cost."""

    backend: str = ""  # only callables compiled for this backend; "" for all
    sample: float = 1.0  # share of the calls
    seconds: float = float("inf")  # of time spent beside the compiled calls, in all
    gradients: bool = False
    versions: bool = False


@dataclasses.dataclass
class ShadowCall:
    """One judged call: its outcome as in docs/outcomes.md, the differences, and a Reproduction of the call."""

    outcome: str
    differences: list
    note: str
    reproduction: object


class Shadow:
    """Wraps `torch.compile` while installed.

    judged: called with a ShadowCall; left_out: called with the reason why a call was not judged. Neither may raise. paused: a
    context manager around each call.
    """

    def __init__(self, options, judged, left_out, paused=contextlib.nullcontext):
        self._options, self._judged, self._left_out, self._paused = options, judged, left_out, paused
        self._random = random.Random(0)
        self._inside = threading.local()
        self._original = None
        self.compiled_seconds = self.shadow_seconds = 0.0

    def install(self):
        """Puts the wrapper in the place of `torch.compile`. `Module.compile` calls it, too."""
        self._original = original = torch.compile

        @functools.wraps(original)
        def compile(model=None, *arguments, **keywords):
            compiled = original(model, *arguments, **keywords)
            if model is None or compiled is model or isinstance(model, type):
                return compiled
            return self._around(model, compiled, keywords)

        torch.compile = compile

    def uninstall(self):
        """Puts `torch.compile` back."""
        torch.compile = self._original

    def _around(self, model, compiled, keywords):
        backend = keywords.get("backend", "inductor")
        name = backend if isinstance(backend, str) else getattr(backend, "__name__", type(backend).__name__)
        if self._options.backend and name != self._options.backend:
            return compiled
        if isinstance(compiled, torch._dynamo.eval_frame.OptimizedModule):
            inner = vars(compiled).get("forward")
            if inner is not None:
                object.__setattr__(compiled, "forward", self._shadowed(_Callee(compiled._orig_mod, backend, name, keywords), inner))
            return compiled
        return self._shadowed(_Callee(model, backend, name, keywords), compiled)

    def _shadowed(self, callee, compiled):
        @functools.wraps(compiled)
        def call(*arguments, **keywords):
            if torch.compiler.is_dynamo_compiling() or getattr(self._inside, "busy", False):
                return compiled(*arguments, **keywords)
            with self._paused():
                return self._call(callee, compiled, arguments, keywords)

        return call

    def _call(self, callee, compiled, arguments, keywords):
        began = time.perf_counter()
        self._inside.busy = True
        try:
            reason = self._why_not(callee)
            pristine = None
            if not reason:
                try:
                    pristine = _Pristine(callee.program, arguments, keywords)
                except CannotCopy as error:
                    reason = str(error)
            if reason:
                self._left_out(reason)
            self.shadow_seconds += time.perf_counter() - began
            if pristine is None:
                return self._timed(compiled, arguments, keywords)
            return self._beside(callee, compiled, arguments, keywords, pristine)
        finally:
            self._inside.busy = False

    def _timed(self, compiled, arguments, keywords):
        began = time.perf_counter()
        try:
            return compiled(*arguments, **keywords)
        finally:
            self.compiled_seconds += time.perf_counter() - began

    def _why_not(self, callee):
        if self._options.sample < 1 and self._random.random() >= self._options.sample:
            return "left out by the sample"
        if self.shadow_seconds > self._options.seconds:
            return "the time for judging is used up"
        return mode_in_the_way() or callee.why_not()

    def _beside(self, callee, compiled, arguments, keywords, pristine):
        program = Program(callee.program, lambda *given, **named: self._timed(compiled, given, named))
        start = ProcessState()
        began, before = time.perf_counter(), self.compiled_seconds
        seen = program.call(arguments, keywords)
        try:
            self._judge(callee, seen, pristine, start)
        except CannotCopy as error:
            self._left_out(str(error))
        except Exception as error:  # a suite must not see what goes wrong here
            self._left_out(f"failed while judging: {type(error).__name__}: {str(error)[:200]}")
        finally:
            seen.state.restore()
            self.shadow_seconds += time.perf_counter() - began - (self.compiled_seconds - before)
        if seen.error is not None:
            raise seen.error
        return seen.outputs

    def _judge(self, callee, seen, pristine, start):
        eager, before = pristine.run(start)
        if eager.drew and callee.draws_otherwise():
            self._left_out("draws random numbers, which Inductor draws otherwise")
            return
        if seen.error is not None or eager.error is not None:
            outcome, difference = outcome_of_errors(0, eager.error, seen.error)
            self._tell(callee, pristine, outcome, [difference] if difference else [], described_errors(eager.error, seen.error))
            return
        rules = Rules(exact=callee.backend_name in _EXACT_BACKENDS, versions=self._options.versions)
        reference = None if eager.drew else functools.cache(lambda: pristine.run(start, "double")[0])
        differences = Comparison(0, eager, seen, rules, reference, before).compare()
        note = ""
        if not differences and self._options.gradients:
            note = _take_gradients(eager) or _take_gradients(seen)
            if not note:
                differences = Comparison(0, eager, seen, rules, None).compare_gradients()
        if differences:
            with fresh_memory_filled():
                again = pristine.run(start)[0]
            unstable = set() if again.error else places_of(Comparison(0, eager, again, Rules(versions=False)).compare())
            kept = [each for each in differences if not places_of([each]) & unstable]
            if not kept:
                self._tell(callee, pristine, "EagerUnstable", [], str(differences[0]))
                return
            differences = kept
        self._tell(callee, pristine, "Differs" if differences else "Agreed", differences, note)

    def _tell(self, callee, pristine, outcome, differences, note):
        self._judged(ShadowCall(outcome, differences, note, pristine.reproduction(callee)))


class _Callee:
    """What was compiled, and how."""

    def __init__(self, program, backend, name, keywords):
        self.program, self.backend, self.backend_name = program, backend, name
        self.compile_keywords = {key: each for key, each in keywords.items() if key in ("dynamic", "fullgraph")}
        self._reason = None

    def why_not(self):
        # Hooks and globals may change, but looking at each call costs more than it finds.
        if self._reason is None:
            self._reason = why_not_twice(self.program)
        return self._reason

    def draws_otherwise(self):
        return self.backend_name == "inductor" and not torch._inductor.config.fallback_random


class _Pristine:
    """A call's program and arguments as they were before it."""

    def __init__(self, program, arguments, keywords):
        self._program, self._arguments, self._keywords = self._copied(Copier(), program, arguments, keywords)

    def run(self, start, change=""):
        """Calls a copy eagerly from the process state `start`; gives the Observed and the inputs as they were."""
        copier = Copier(change)
        program, arguments, keywords = self._copied(copier, self._program, self._arguments, self._keywords)
        start.restore()
        with torch.compiler.set_stance("force_eager"), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seen = Program(program).call(arguments, keywords)
        originals = {id(copy): original for original, copy in copier.pairs}
        return seen, [originals.get(id(tensor), tensor) for _, tensor in seen.inputs]

    def reproduction(self, callee):
        return Reproduction(self._program, [self._arguments], self._keywords, callee.backend, callee.compile_keywords,
                            exact=callee.backend_name in _EXACT_BACKENDS)

    @staticmethod
    def _copied(copier, program, arguments, keywords):
        return copier.copy_program(program), copier.copy(tuple(arguments)), copier.copy(dict(keywords))


def mode_in_the_way():
    """Why calls made just now are not judged, in a few words; "" where they are."""
    if torch._C._functorch.peek_interpreter_stack() is not None:
        return "inside a function transform"
    if torch.utils._python_dispatch._get_current_dispatch_mode() is not None:
        return "inside a dispatch mode"
    if any(type(each).__name__ != "DeviceContext" for each in torch.overrides._get_current_function_mode_stack()):
        return "inside a function mode"
    if torch._C._autograd._saved_tensors_hooks_is_enabled() and torch._C._autograd._top_saved_tensors_default_hooks(True) is not None:
        return "under hooks of saved tensors"
    if torch._C._autograd._profiler_enabled():
        return "under the profiler"
    if torch.is_inference_mode_enabled():
        return "in inference mode"
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return "in a process group"
    return ""


def _take_gradients(observed):
    """Fills in the gradients of random tangents without touching `.grad`; gives the reason where that is not possible."""
    roots = differentiable(observed.outputs)
    leaves = {where: each for where, each in observed.inputs if each.requires_grad}
    if not roots or not leaves:
        return "nothing to differentiate"
    if any(each._backward_hooks or each._post_accumulate_grad_hooks for each in [*roots.values(), *leaves.values()]):
        return "gradients not compared: tensors have hooks"
    try:
        taken = torch.autograd.grad(list(roots.values()), list(leaves.values()), tangents(roots, 0), retain_graph=True, allow_unused=True)
    except RuntimeError as error:
        return f"gradients not compared: {str(error).splitlines()[0][:120]}"
    observed.gradients = dict(zip(leaves, taken))
    return ""
