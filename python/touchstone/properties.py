"""`@touchstone.property`: a program that must agree with eager mode for all arguments that are drawn."""

import functools
import inspect
import os

from touchstone.judging import judge
from touchstone.strategies import Drawing, Strategy

try:
    import hypothesis
    import hypothesis.strategies
except ImportError:
    hypothesis = None


def property(backend="inductor", runs=50, seed=None, shrink=True, **judging):
    """Makes a test of a program: the decorated function is the program, and its parameters' defaults say what is drawn.

        @touchstone.property(backend="aot_eager")
        def test_scaled(x=touchstone.tensors(), factor=2.0):
            return x.mul(factor)

    The test takes no arguments. Each of `runs` draws is judged as by `touchstone.judge`, which gets the other keywords; a
    disagreement raises AssertionError with the Verdict, the seed that draws it again, and the script. Draws that eager mode
    refuses as well, or that run nothing compiled, do not count; where none counts, that is an AssertionError, too.

    seed: of the draws; by default TOUCHSTONE_SEED, or 0. shrink: with the package hypothesis installed, it searches and shrinks.
    Raises TypeError where a parameter has no default or none is drawn.
    """

    def decorate(program):
        defaults = _defaults(program)
        first = int(os.environ.get("TOUCHSTONE_SEED", "0")) if seed is None else seed

        @functools.wraps(program)
        def test():
            counted = []
            if hypothesis is not None and shrink:
                _search(program, defaults, backend, runs, first, judging, counted)
            else:
                for number in range(runs):
                    drawing = Drawing.of_seed(f"{first}:{number}")
                    _try(program, defaults, drawing, backend, judging, counted, f"seed {first}, draw {number} (TOUCHSTONE_SEED={first})")
            if not any(each.agreed for each in counted):
                raise AssertionError(f"No draw of {program.__name__} was compared: {counted[-1] if counted else 'none was made'}")

        del test.__wrapped__  # pytest would take the program's parameters for fixtures
        test.program = program
        return test

    return decorate


def _defaults(program):
    defaults = {}
    for name, parameter in inspect.signature(program).parameters.items():
        if parameter.default is inspect.Parameter.empty:
            raise TypeError(f"The parameter {name} of {program.__name__} needs a default: a strategy, or a value.")
        defaults[name] = parameter.default
    if not any(isinstance(each, Strategy) for each in defaults.values()):
        raise TypeError(f"No parameter of {program.__name__} is drawn: give one a default such as touchstone.tensors().")
    return defaults


def _try(program, defaults, drawing, backend, judging, counted, again):
    arguments = tuple(each.draw(drawing) if isinstance(each, Strategy) else each for each in defaults.values())
    verdict = judge(program, arguments, backend, **judging)
    counted.append(verdict)
    if verdict.outcome in ("Differs", "BackendRejected", "InternalError", "MissingRefusal"):
        raise AssertionError(f"{verdict}\nAgain with {again}.\n{_script_of(verdict)}")


def _script_of(verdict):
    try:
        return f"Alone:\n\n{verdict.script()}"
    except ValueError as error:
        return f"No script: {error}"


def _search(program, defaults, backend, runs, seed, judging, counted):
    @hypothesis.seed(seed)
    @hypothesis.settings(max_examples=runs, deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(hypothesis.strategies.data())
    def search(data):
        drawing = Drawing(lambda low, high: data.draw(hypothesis.strategies.integers(low, high)))
        _try(program, defaults, drawing, backend, judging, counted, f"seed {seed} (TOUCHSTONE_SEED={seed})")

    search()
