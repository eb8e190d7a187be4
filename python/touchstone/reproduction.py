"""A difference as one Python file that needs nothing but PyTorch."""

import functools
import types

import torch

from touchstone.literals import Literals
from touchstone.sources import Sources

_HEAD = '''"""{title}

Exits with 1 while the difference is there, and with 0 once it is gone.
"""

'''

_BODY = '''

def compiled_of(program):
    return torch.compile(program, backend={backend}{keywords})


{check}

if __name__ == "__main__":
    raise SystemExit(main())
'''

# What the file compares; it is read as text and runs without this package.
_CHECK = '''
def tensors(value, place, found):
    if isinstance(value, torch.Tensor):
        found.append((place, value))
    elif isinstance(value, torch.nn.Module):
        for name, each in [*value.named_parameters(), *value.named_buffers()]:
            found.append((f"{place}.{name}", each))
    elif isinstance(value, dict):
        for key, each in value.items():
            tensors(each, f"{place}[{key!r}]", found)
    elif isinstance(value, (list, tuple)):
        for number, each in enumerate(value):
            tensors(each, f"{place}[{number}]", found)
    return found


def strides(tensor):
    return tuple(stride for size, stride in zip(tensor.shape, tensor.stride()) if size > 1) if tensor.numel() > 1 else ()


def differences(eager, compiled):
    first, second = {}, {}
    if [place for place, _ in eager] != [place for place, _ in compiled]:
        yield f"structure: {[place for place, _ in eager]} in eager mode, {[place for place, _ in compiled]} when compiled"
        return
    for (place, e), (_, c) in zip(eager, compiled):
        yield from (f"{name} of {place}: {one} in eager mode, {other} when compiled" for name, one, other in (
            ("dtype", e.dtype, c.dtype), ("shape", e.shape, c.shape), ("strides", strides(e), strides(c)),
            ("offset", e.storage_offset(), c.storage_offset()), ("requires_grad", e.requires_grad, c.requires_grad),
            ("memory", first.setdefault(e.untyped_storage()._cdata, place), second.setdefault(c.untyped_storage()._cdata, place)),
            ("gradient", e.is_leaf and e.grad is not None, c.is_leaf and c.grad is not None)) if one != other)
        yield from values(place, e, c)
        if e.is_leaf and c.is_leaf and e.grad is not None and c.grad is not None:
            yield from values(f"gradient of {place}", e.grad, c.grad)


def values(place, e, c):
    try:
        torch.testing.assert_close(c.detach(), e.detach(), check_stride=False, equal_nan=True, {tolerance})
    except AssertionError as error:
        yield f"values of {place}: {str(error).splitlines()[0]}\\n  eager {e.detach().flatten()[:4]}, compiled {c.detach().flatten()[:4]}"


def run(call, program, arguments, keywords, number):
    torch.manual_seed({seed} + number)
    try:
        result, error = call(*arguments, **keywords), None
    except Exception as raised:
        result, error = None, raised
    return tensors(result, "output", []), error


def seen(outputs, program, calls):
    return outputs + tensors(program, "program", tensors(calls, "argument", []))


def backward(outputs, number):
    roots = [each for _, each in outputs if each.requires_grad]
    drawn = []
    for place, root in enumerate(roots):
        generator = torch.Generator().manual_seed(({seed} + number) * 1000 + place)
        dtype = torch.complex128 if root.is_complex() else torch.float64
        tangent = torch.randn(root.shape, generator=generator, dtype=dtype)
        drawn.append(tangent.to(root) if root.is_complex() else tangent.bfloat16().to(root))
    try:
        torch.autograd.backward(roots, drawn) if roots else None
    except Exception as raised:
        return raised
    return None


def main():
    eager, eager_calls, keywords = inputs()
    program, calls, other_keywords = inputs()
    compiled = compiled_of(program)
    found, kept = [], []
    for number in range(len(eager_calls)):
        mine, error = run(eager, eager, eager_calls[number], keywords, number)
        others, other_error = run(compiled, program, calls[number], other_keywords, number)
        if (error is None) != (other_error is None):
            found.append(f"call {number}: eager raises {error!r}, compiled raises {other_error!r}")
        if error is None and other_error is None:
            kept.append((mine, others))
            found += [f"call {number}: {each}" for each in differences(seen(mine, eager, eager_calls), seen(others, program, calls))]
            if not found:
                errors = backward(mine, number), backward(others, number)
                if (errors[0] is None) != (errors[1] is None):
                    found.append(f"backward of call {number}: eager raises {errors[0]!r}, compiled raises {errors[1]!r}")
                found += [f"backward of call {number}: {each}" for each in
                          differences(seen(mine, eager, eager_calls), seen(others, program, calls))]
    for number, (mine, others) in enumerate(kept):
        if not found:
            found += [f"results of call {number}, afterwards: {each}" for each in differences(mine, others)]
    print("\\n".join(found) or "no difference")
    return bool(found)
'''


class Reproduction:
    """Keeps what a Verdict was made of, and writes it as a file. The program must not have changed since."""

    def __init__(self, program, calls, keywords, backend, compile_keywords, verdict=None, title="", seed=0, exact=True):
        self._program, self._calls, self._keywords = program, calls, keywords
        self._backend = backend
        self._compile_keywords = {name: each for name, each in compile_keywords.items() if each not in (None, False)}
        self._verdict = verdict
        self._title, self._seed, self._exact = title, seed, exact

    def titled(self, title):
        """This, with a title of its own."""
        self._title = title
        return self

    def script(self, data=None):
        """The file's text. data: a pathlib.Path of a file to which large tensors go instead, by `torch.save`.

        Raises ValueError, saying why, where a source or a value cannot be written.
        """
        sources, literals = Sources(), Literals(data)
        program = self._named(self._program, sources, literals)
        calls = literals.write([tuple(each) for each in self._calls])
        keywords = literals.write(dict(self._keywords))
        backend = self._backend_text(sources)
        title = (self._title or str(self._verdict)).replace("\\", "\\\\").replace('"""', "'''")
        setup = [f"    {line}" for line in literals.lines]
        inputs = "\n".join(["def inputs():", '    """The program, the arguments of each call, and the keyword arguments, made anew."""', *setup,
                            f"    return {program}, {calls}, {keywords}"])
        tolerance = "rtol=0, atol=0" if self._exact else "rtol=1e-4, atol=1e-4"
        check = _CHECK.replace("{tolerance}", tolerance).replace("{seed}", str(self._seed)).strip("\n")
        more = "".join(f", {name}={each!r}" for name, each in self._compile_keywords.items())
        text = _HEAD.format(title=title) + literals.imports() + sources.text() + "\n\n" + inputs
        text += _BODY.format(backend=backend, keywords=more, check=check + "\n")
        literals.save()
        compile(text, "reproduction", "exec")
        return text

    def _backend_text(self, sources):
        if isinstance(self._backend, str):
            return repr(self._backend)
        if not isinstance(self._backend, types.FunctionType):
            raise ValueError(f"The backend, a {type(self._backend).__name__}, has no source that could be written.")
        return sources.add(self._backend)

    def _named(self, program, sources, literals):
        """An expression, inside `inputs`, for a program with its state."""
        if isinstance(program, torch.nn.Module):
            return literals.write(program, sources)
        if isinstance(program, types.MethodType):
            return f"{literals.write(program.__self__, sources)}.{program.__name__}"
        if isinstance(program, functools.partial):
            function = self._named(program.func, sources, literals)
            return f"functools.partial({function}, *{literals.write(program.args)}, **{literals.write(program.keywords)})"
        if not isinstance(program, types.FunctionType):
            raise ValueError(f"A program that is a {type(program).__name__} has no source that could be written.")
        name = sources.add(program)
        state = sources.state_of(program)
        if state:  # what the function closes over, and what it reads as globals that hold tensors
            literals.lines.append(f"global {', '.join(sorted(state))}")
            for key, value in state.items():
                if isinstance(value, types.FunctionType):
                    literals.lines.append(f"{key} = {self._named(value, sources, literals)}")
                else:
                    literals.lines.append(f"{key} = {literals.write(value, sources)}")
            # A function that reads them as globals reads those of its own copy, so that two programs share nothing.
            own = f"own_{name}"  # no local may have the function's name, which may be any
            literals.lines.append(f"{own} = types.FunctionType({name}.__code__, dict(globals()), {name}.__name__, {name}.__defaults__)")
            literals.lines.append(f"{own}.__kwdefaults__ = {name}.__kwdefaults__")
            return own
        return name
