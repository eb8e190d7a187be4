# touchstone: 1
# torch: 2.13.0
# note: a decomposition asks the opposite of what the kernel asks, so NaN takes the other branch. A bug: the gradient is a number where eager has NaN.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_eager_decomp_partition Differs/gradient_values
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
    x = torch.tensor([float("nan"), 1.0]).requires_grad_()
    return (x, torch.tensor([0.0, 0.0])), ()


def program(x, y):
    return torch.nn.functional.smooth_l1_loss(x, y)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
]


if __name__ == "__main__":
    import argparse
    import sys

    import torch._functorch.config
    import torch._inductor.config

    def _main(backend="aot_eager_decomp_partition"):
        """1 when compiled, `program` differs from eager in gradient_values, bit for bit; else 0."""
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

        def strides(t):  # those that matter
            return [stride for stride, size in zip(t.stride(), t.shape) if size > 1 and t.numel() > 1]

        def contents(gradient):
            return None if gradient is None else [gradient.detach().clone(), strides(gradient)]

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

        def backward(call, outputs, given, leaves):
            roots = [outputs[root] for root in call["backward"]]
            create, gradients = call.get("create_graph", False), []
            times = call.get("backward_times", 1)
            for time in range(times):
                again = create or time + 1 < times
                keep = dict(retain_graph=again, create_graph=create)
                tangents = [tangent(call, 1000 * time + i, root) for i, root in enumerate(roots)]
                torch.autograd.backward(roots, tangents, **keep)
            return list(enumerate(leaf.grad for leaf in leaves))

        def run(function):
            seen = {}
            late = []  # what is looked at again after later calls
            def go_backward(number, call, outputs, given, leaves):
                gradients = backward(call, outputs, given, leaves)
                for i, gradient in gradients:
                    seen.setdefault(f"call {number} leaf {i}", []).append(contents(gradient))
                for k, (i, t) in enumerate(gradients):
                    late.append((f"call {number} leaf {i} gradient {k}", t))
            for number, call in enumerate(CALLS[:3]):
                try:
                    args, watched = globals()[call["inputs"]](call.get("seed", 0), call.get("kind", "grid"))
                    given = tensors(args)
                    known = given + tensors(watched)
                    leaves = [t for t in dict.fromkeys(known) if t.requires_grad and t.is_leaf]
                    torch.manual_seed(call.get("rng_seed", 0))
                    result = function(*args)
                    outputs = tensors(result)
                    if "backward" in call:
                        go_backward(number, call, outputs, given, leaves)
                except Exception as error:
                    print(f"call {number} raises {type(error).__name__}: {error}"[:300])
                    seen[f"call {number} raised"] = True
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
    parser.add_argument("--backend", default="aot_eager_decomp_partition", help="as torch.compile knows it; none: eager again")
    sys.exit(_main(parser.parse_args().backend))
