# touchstone: 1
# torch: 2.13.0
# note: a hook on an output writes to the tangent that it is given
# note: torch:aot_function traces operators, and a hook is none
# expect: torch:aot_eager Differs/input_values
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def data(shape, dtype, seed, kind):
    """Values of a tensor, the same bits on every machine; `seed` is a pair of ints."""
    if kind not in ("grid", "uniform", "special", "zeros", "ones"):
        raise ValueError(f"unknown kind of data: {kind}")
    if kind in ("zeros", "ones"):
        return torch.full(shape, int(kind == "ones"), dtype=dtype)
    if dtype.is_complex:
        parts = [(seed[0], -1 - 2 * seed[1]), (seed[0], -2 - 2 * seed[1])]
        values = torch.complex(*(data(shape, dtype.to_real(), part, kind) for part in parts))
        return values.clone(memory_format=torch.contiguous_format)
    generator = torch.Generator().manual_seed((seed[0] * 0x9E3779B1 + seed[1] * 0x85EBCA77) % 2**32)
    if dtype == torch.bool:
        low, high, scale = 0, 1, 1
    elif kind == "special" and dtype.is_floating_point:
        info = torch.finfo(dtype)
        table = [float("nan"), float("inf"), -float("inf"), -0.0, info.max, info.min, info.tiny, info.tiny * info.eps]
        table = torch.tensor(table + [0, 1, -1, 0.5, -2, 3, 0.25, -1.5], dtype=torch.float64)
    elif kind == "special":
        least, most = torch.iinfo(dtype).min, min(torch.iinfo(dtype).max, 2**63 - 1)
        table = torch.tensor([least, least + 1, most, most - 1, 0, 1, 2, max(least, -1)])
    elif dtype.is_floating_point:
        low, high, scale = (-8, 8, 4) if kind == "grid" else (-2048, 2047, 1024)
    else:
        half = 8 if kind == "grid" else 100
        low, high, scale = (-half, half, 1) if dtype.is_signed else (0, 2 * half, 1)
    if kind == "special" and dtype != torch.bool:
        return table.take(torch.randint(0, len(table), shape, generator=generator)).to(dtype)
    values = torch.randint(low, high + 1, shape, generator=generator)
    return (values.double() / scale).to(dtype).clone(memory_format=torch.contiguous_format)


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def double_in_place(grad):
    grad.mul_(2)


def program(x):
    y = x.sin()
    y.register_hook(double_in_place)
    return y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]


if __name__ == "__main__":
    import argparse
    import sys

    import torch._functorch.config
    import torch._inductor.config

    def _main(backend="aot_eager"):
        """1 when compiled, `program` differs from eager in input_values, bit for bit; else 0."""
        torch.set_num_threads(1)
        torch.set_printoptions(precision=10)
        torch._dynamo.config.recompile_limit = 256
        torch._dynamo.config.accumulated_recompile_limit = 4096
        torch._functorch.config.donated_buffer = False
        torch._inductor.config.fallback_random = True  # eager's random numbers

        def compiled(function):
            if backend in ("none", "eager_python"):
                return function
            if backend == "aot_function":
                from functorch.compile import aot_function, nop

                return lambda *args: aot_function(function, nop)(*args)
            return torch.compile(function, backend=backend, dynamic=False, fullgraph=False, options=None)

        def tensors(value):
            if isinstance(value, torch.Tensor):
                return [value]
            value = list(value.values()) if isinstance(value, dict) else value
            return [t for part in value for t in tensors(part)] if isinstance(value, (list, tuple)) else []

        def bits(t):  # one NaN is as good as another
            t = t.detach().resolve_conj().resolve_neg().contiguous()
            real = torch.view_as_real(t) if t.is_complex() else t
            real = real.masked_fill(real.isnan(), float("nan")) if real.is_floating_point() else real
            return t.dtype, t.shape, real.reshape(-1).view(torch.uint8).tolist()

        def same(a, b):
            if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
                return bits(a) == bits(b)
            if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
                return len(a) == len(b) and all(map(same, a, b))
            return type(a) is type(b) and a == b

        def tangent(call, number, root):
            seed = (call.get("tangent_seed", 0), 1000000 + number)
            values = data(tuple(root.shape), root.dtype, seed, "grid")
            layout = call.get("tangent_layout", "like")
            if layout == "like":
                return torch.empty_like(root).copy_(values)
            return values

        given_tangents = []  # of the last backward

        def backward(call, outputs, given, leaves):
            roots = [outputs[root] for root in call["backward"]]
            create, gradients = call.get("create_graph", False), []
            times = call.get("backward_times", 1)
            for time in range(times):
                again = create or time + 1 < times
                keep = dict(retain_graph=again, create_graph=create)
                tangents = [tangent(call, 1000 * time + i, root) for i, root in enumerate(roots)]
                given_tangents.extend(tangents or [])
                torch.autograd.backward(roots, tangents, **keep)
            return list(enumerate(leaf.grad for leaf in leaves))

        def run(function):
            seen = {}
            late = []  # what is looked at again after later calls
            behind = {}  # inputs by call, to be looked at behind its backward
            def go_backward(number, call, outputs, given, leaves):
                given_tangents.clear()
                gradients = backward(call, outputs, given, leaves)
                late.extend((f"call {number} tangent {i}", t) for i, t in enumerate(given_tangents))
            for number, call in enumerate(CALLS[:2]):
                try:
                    args, watched = globals()[call["inputs"]](call.get("seed", 0), call.get("kind", "grid"))
                    given = tensors(args)
                    known = given + tensors(watched)
                    leaves = [t for t in dict.fromkeys(known) if t.requires_grad and t.is_leaf]
                    torch.manual_seed(call.get("rng_seed", 0))
                    result = function(*args)
                    outputs = tensors(result)
                    named = {}
                    named |= {f"arg {i}": t for i, t in enumerate(given)}
                    named |= {f"watched {i}": t for i, t in enumerate(tensors(watched))}
                    given_names = [name for name in named if not name.startswith("output")]
                    behind[number] = [(name, named[name], {}) for name in given_names]
                    for name, t in named.items():
                        seen[f"call {number} {name}"] = t.detach().clone()
                    if "backward" in call:
                        go_backward(number, call, outputs, given, leaves)
                except Exception as error:
                    print(f"call {number} raises {type(error).__name__}: {error}"[:300])
                    seen[f"call {number} raised"] = True
                for n, inputs in behind.items():  # also where the backward raised
                    for name, t, versions in inputs:
                        seen[f"call {n} {name} behind the backward"] = t.detach().clone()
                for name, t in late:
                    seen[f"{name} looked at again after call {number}"] = t if t is None else t.detach().clone()
            return seen

        def differ(name, a, b):
            return not same(a, b)

        expected, found = run(program), run(compiled(program))
        compared = {name: (expected.get(name), found.get(name)) for name in {**expected, **found}}
        different = {name: pair for name, pair in compared.items() if differ(name, *pair)}
        lines = [f"{name} differs\neager: {a}\n{backend}: {b}" for name, (a, b) in different.items()]
        print("\n".join([*lines, "differs" if lines else "agrees"]))
        return int(bool(lines))

    parser = argparse.ArgumentParser(description=_main.__doc__)
    parser.add_argument("--backend", default="aot_eager", help="as torch.compile knows it; none: eager again")
    sys.exit(_main(parser.parse_args().backend))
