"""`touchstone.judge`: one program under one backend, beside eager mode."""

import functools

import torch

from touchstone.comparing import Comparison, Rules, later_difference
from touchstone.copies import CannotCopy, Copier, first_line
from touchstone.observing import Program, run_backward
from touchstone.process_state import fresh_memory_filled, state_kept
from touchstone.reproduction import Reproduction
from touchstone.verdict import Difference, Verdict, worst

_EXACT_BACKENDS = ("eager", "aot_eager")
_WRAPPED_ERRORS = ("torch._dynamo.exc", "torch._inductor.exc", "torch._subclasses.fake_tensor")
_LENIENT = ("modified by an inplace operation", "modified inplace", "does not require grad", "a leaf Variable that requires grad",
            "require grad")
# What PyTorch documents that it refuses: rule A13 of docs/rules.md.
_DOCUMENTED = (
    "does not yet handle non-differentiable view input mutations",
    "input mutations on views with different dtypes",
    "was an as_strided() call",
    "compiled with non-empty donated buffers which requires create_graph=False and retain_graph=False",
    "While executing unfold, functionalization encountered a tensor being mutated that has internal overlap",
)
_INTERNAL = ("InternalTorchDynamoError", "AssertionError", "LoweringException")


def judge(program, args=None, backend="inductor", calls=None, dynamic=None, *, kwargs=None, exact=None, backward=True, versions=True,
          strides=True, seed=0, fullgraph=False, options=None, mode=None):
    """Calls `program` compiled and eagerly on copies of the same arguments, and compares everything that can be seen.

    program: a function, method or nn.Module. It, its arguments and what it reads are left as they are: each side has copies
        with the same aliasing, layout, identity and autograd state.
    args: the arguments, a tuple. The program is called twice with the same compiled callable: with these, and with the same
        in which each floating-point memory holds its values in reversed order.
    calls: a list of tuples of arguments instead, called one after another as they are. Objects that stand in several calls
        are the same object on both sides.
    backend: what `torch.compile` takes: a name or a callable. dynamic, fullgraph, options, mode: as of `torch.compile`.
    kwargs: keyword arguments of every call.
    exact: values to the bit; by default of the backends `eager` and `aot_eager`, whose gradients may round otherwise. Of others
        a value may be off by a multiple of eager's own error against a run in double precision.
    backward: compare the gradients of random tangents, too. versions: compare whether inputs' version counters are bumped.
    strides: compare strides and storage offsets; off for a backend that promises none.

    Returns a Verdict. Raises TypeError where no program or no arguments are given, and CannotCopy where an argument cannot be
    copied faithfully (a sparse tensor, a tensor subclass).
    """
    if not callable(program):
        raise TypeError(f"judge takes a callable to compile, not a {type(program).__name__}.")
    if (args is None) == (calls is None):
        raise TypeError("judge takes either args, a tuple, or calls, a list of tuples.")
    for each in [args] if calls is None else calls:
        if not isinstance(each, (tuple, list)):
            raise TypeError(f"The arguments of a call are a tuple, not a {type(each).__name__}.")
    plain = backend in _EXACT_BACKENDS if isinstance(backend, str) else False
    exact_gradients = bool(exact) or (exact is None and backend == "eager")
    rules = Rules(exact=plain if exact is None else exact, exact_gradients=exact_gradients, versions=versions, strides=strides)
    given = _Given(program, args, calls, kwargs or {})
    keywords = {"dynamic": dynamic, "fullgraph": fullgraph}
    judgement = _Judgement(given, CountedBackend(backend, options, mode), keywords, rules, seed, backward)
    with _random_as_in_eager():
        verdict = judgement.verdict()
    verdict.reproduction = Reproduction(
        program, given.originals, kwargs or {}, backend, keywords, verdict, seed=seed, exact=rules.exact)
    return verdict


def _random_as_in_eager():
    import torch._inductor.config

    return torch._inductor.config.patch(fallback_random=True)


class CountedBackend:
    """A backend for `torch.compile` that counts the graphs it is given. Raises what the registry does for an unknown name."""

    def __init__(self, backend, options=None, mode=None):
        self.name = backend if isinstance(backend, str) else getattr(backend, "__name__", type(backend).__name__)
        self.graphs = 0
        if options or mode:
            self._given = torch._TorchCompileInductorWrapper(mode, options, None) if backend == "inductor" else functools.partial(backend, options=options)
        else:
            self._given = torch._dynamo.backends.registry.lookup_backend(backend) if isinstance(backend, str) else backend

    def callable(self):
        """What `torch.compile` takes as its backend."""

        def backend(module, inputs, **keywords):
            self.graphs += 1
            return self._given(module, inputs, **keywords)

        for name in ("get_compiler_config", "reset"):
            if hasattr(self._given, name):
                setattr(backend, name, getattr(self._given, name))
        backend.__name__ = self.name
        return backend


class _Given:
    """The program and the arguments of each call, as the caller has them."""

    def __init__(self, program, args, calls, keywords):
        self.program = program
        self.keywords = keywords
        if calls is None:
            again = Copier("reverse")
            calls = [tuple(args), again.copy(tuple(args))]
        self.originals = [tuple(each) for each in calls]

    def side(self, seed, change="", run=None):
        copier = Copier(change)
        program = copier.copy_program(self.program)
        calls = copier.copy(self.originals)
        return _Side(program, calls, copier.copy(self.keywords), copier, seed, run)


class _Side:
    """Makes the calls one by one, on copies of its own."""

    def __init__(self, program, calls, keywords, copier, seed, compile_with):
        self._program = Program(program, compile_with(program) if compile_with else None)
        self._calls, self._keywords = calls, keywords
        self._copier = copier
        self._seed = seed
        self.observed = []

    def call(self, number, backward):
        """Makes the call of this number, and its backward; gives what was observed before the backward."""
        torch.manual_seed(self._seed + number)
        observed = self._program.call(self._calls[number], self._keywords)
        self.observed.append(observed)
        return observed

    def backward(self, number):
        run_backward(self.observed[number], self._copier.source, self._seed + number)

    def before(self, observed):
        """The inputs as they were given, in the order of `observed.inputs`; None where one is not known."""
        originals = {id(copy): original for original, copy in self._copier.pairs}
        return [originals.get(id(tensor), tensor) for _, tensor in observed.inputs]


class _Later:
    """A side that follows only when it is asked, call by call."""

    def __init__(self, make, backward):
        self._make, self._backward = make, backward
        self._side = None
        self._broken = False

    def up_to(self, number, with_backward):
        """What was observed of this call, or None where the side cannot be made."""
        if self._broken:
            return None
        try:
            self._side = self._side or self._make()
            while len(self._side.observed) <= number:
                self._finish()
                self._side.call(len(self._side.observed), self._backward)
            if with_backward:
                self._finish()
        except CannotCopy:
            self._broken = True
            return None
        return self._side.observed[number]

    def _finish(self):
        observed = self._side.observed
        if observed and self._backward and not getattr(observed[-1], "ran_backward", False) and observed[-1].error is None:
            observed[-1].ran_backward = True
            self._side.backward(len(observed) - 1)


class _Judgement:
    def __init__(self, given, backend, keywords, rules, seed, backward):
        self._backend, self._rules, self._backward = backend, rules, backward
        self._eager = given.side(seed)
        compiled = functools.partial(torch.compile, backend=backend.callable(), **keywords)
        self._compiled = given.side(seed, run=compiled)
        self._reference = _Later(lambda: given.side(seed, "double"), backward)
        self._again = _Later(lambda: given.side(seed), backward)
        self._count = len(given.originals)
        self._differences, self._notes, self._outcomes = [], [], []

    def verdict(self):
        torch._dynamo.reset()
        for number in range(self._count):
            found = len(self._differences)
            outcome = self._call(number)
            self._outcomes.append("Differs" if len(self._differences) > found else outcome)
        self._look_again(self._count)
        if not self._backend.graphs:
            self._outcomes = ["Vacuous" if each == "Agreed" else each for each in self._outcomes]
        outcome = worst(["Differs"] * bool(self._differences) + self._outcomes)
        return Verdict(outcome, self._backend.name, tuple(self._outcomes), self._backend.graphs, self._differences, self._notes)

    def _call(self, number):
        with state_kept(), torch.compiler.set_stance("force_eager"):
            eager = self._eager.call(number, self._backward)
        with state_kept():
            compiled = self._compiled.call(number, self._backward)
        self._look_again(number)
        eager.keep_results()
        compiled.keep_results()
        if eager.error is not None or compiled.error is not None:
            outcome, difference = outcome_of_errors(number, eager.error, compiled.error)
            self._notes.append(f"call {number}: {described_errors(eager.error, compiled.error)}")
            self._differences += [difference] if difference else []
            return outcome
        reference = None if eager.drew else lambda: self._quietly(self._reference, number, False)
        comparison = Comparison(number, eager, compiled, self._rules, reference, self._eager.before(eager) if number == 0 else None)
        outcome = self._keep(number, comparison.compare(), eager, False)
        if outcome != "Agreed" or not self._backward:
            return outcome
        return self._gradients(number, eager, compiled)

    def _gradients(self, number, eager, compiled):
        with state_kept(), torch.compiler.set_stance("force_eager"):
            self._eager.backward(number)
        with state_kept():
            self._compiled.backward(number)
        if eager.backward_error is not None or compiled.backward_error is not None:
            self._notes.append(f"backward of call {number}: {described_errors(eager.backward_error, compiled.backward_error)}")
            outcome, difference = outcome_of_errors(number, eager.backward_error, compiled.backward_error)
            self._differences += [difference] if difference else []
            return "Agreed" if outcome == "BothRejected" else outcome  # the forward agrees
        reference = None if eager.drew else lambda: self._quietly(self._reference, number, True)
        comparison = Comparison(number, eager, compiled, self._rules, reference)
        return self._keep(number, comparison.compare_gradients(), eager, True)

    def _quietly(self, later, number, with_backward):
        with state_kept(), torch.compiler.set_stance("force_eager"):
            return later.up_to(number, with_backward)

    def _keep(self, number, differences, eager, gradients):
        """Keeps the differences that a second eager run does not show as well."""
        if not differences:
            return "Agreed"
        with fresh_memory_filled():
            again = self._quietly(self._again, number, gradients)
        unstable = set()
        if again is not None and again.error is None:
            comparison = Comparison(number, eager, again, Rules(exact=True, exact_gradients=True, versions=False))
            differing = comparison.compare_gradients() if gradients else comparison.compare()
            unstable = places_of(differing)
        kept = [each for each in differences if not places_of([each]) & unstable]
        self._notes += [f"two eager runs differ: {each}" for each in differences if each not in kept]
        self._differences += kept
        return "Differs" if kept else "EagerUnstable"

    def _look_again(self, number):
        """What the results of earlier calls hold now."""
        known = {(each.call, each.where.split(" after ")[0]) for each in self._differences}
        for earlier, (eager, compiled) in enumerate(zip(self._eager.observed[:number], self._compiled.observed[:number])):
            if eager.error is not None or compiled.error is not None:
                continue
            for where, text in later_difference(eager, compiled, self._rules):
                if (earlier, where) not in known:
                    self._differences.append(Difference(earlier, "values", f"{where} after call {number}", text))


def places_of(differences):
    """What differs, as a set: "precision" is a difference of values."""
    return {("values" if each.property == "precision" else each.property, each.where) for each in differences}


def outcome_of_errors(number, eager, compiled):
    """The outcome of a call that raised on at least one side, and the Difference where the classes differ, or None."""
    if eager is None:
        if any(text in str(compiled) for text in _DOCUMENTED):
            return "Limit", None
        internal = type(compiled).__name__ in _INTERNAL or "please report a bug" in str(compiled)
        return ("InternalError" if internal else "BackendRejected"), None
    if compiled is None:
        return ("BackendAccepts" if any(text in str(eager) for text in _LENIENT) else "MissingRefusal"), None
    wrapped = type(compiled).__module__.startswith(_WRAPPED_ERRORS)
    if wrapped or isinstance(compiled, type(eager)) or isinstance(eager, type(compiled)):
        return "BothRejected", None
    text = f"{type(eager).__name__} in eager mode, {type(compiled).__name__} when compiled"
    return "Differs", Difference(number, "exception", "the call", text)


def described_errors(eager, compiled):
    """Both sides' exceptions in one line."""
    def one(error):
        return "nothing" if error is None else f"{type(error).__name__} ({first_line(error)[:200]})"

    return f"eager raises {one(eager)}, compiled raises {one(compiled)}"
