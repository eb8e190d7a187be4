# touchstone: 1
# torch: 2.13.0
# note: eager's backward from all outputs raises, so each output's is recorded by itself; from two of them a custom function takes another way, which reads more
# expect: aot_eager Unsupported
# expect: aot_joint Unsupported
# expect: aot_functional Unsupported
# expect: aot_eager_default_partitioner Unsupported
# expect: aot_eager_decomp_partition Unsupported
# expect: aot_ts Unsupported
# expect: nnc_jit Unsupported
# expect: memory_efficient_fusion Unsupported
# expect: debug_nop Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: invoke_subgraph Unsupported
# expect: torch:aot_eager Limit/A8
# expect: torch:aot_eager_decomp_partition Limit/A8
# expect: torch:aot_function Limit/A8
# expect: torch:inductor Limit/A8
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


class KeepsNone(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g, h):
        if g is None:
            return None
        return g * 2 if h is None else g * 2 + h * 3


def inputs(seed, kind):
    w1 = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    b1 = w1.mul(1)
    return (b1,), (w1,)


def program(x1):
    y1 = x1.abs()
    x1.mul_(1)
    y16, y17 = KeepsNone.apply(x1)
    y17.index_fill_(0, torch.tensor([1, 1, 1]), 2)
    return y1, y17, y16


CALLS = [
    dict(inputs="inputs", backward=[1, 2]),
    dict(inputs="inputs", seed=1, backward=[1, 2]),
]


if __name__ == "__main__":
    import sys

    import torch._functorch.config
    import torch._inductor.config

    def _main(backend="aot_eager"):
        """1 when compiled, `program` differs from eager in raising where eager does not; else 0."""
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
            return torch.compile(function, backend=backend, dynamic=False)

        def tensors(value):
            if isinstance(value, torch.Tensor):
                return [value]
            value = list(value.values()) if isinstance(value, dict) else value
            return [t for part in value for t in tensors(part)] if isinstance(value, (list, tuple)) else []

        def tangent(call, number, root):
            seed = (call.get("tangent_seed", 0), 1000000 + number)
            values = data(tuple(root.shape), root.dtype, seed, "grid")
            return torch.empty_like(root).copy_(values)

        def backward(call, outputs, given, leaves):
            roots = [outputs[root] for root in call["backward"]]
            tangents = [tangent(call, i, root) for i, root in enumerate(roots)]
            torch.autograd.backward(roots, tangents)
            return list(enumerate(leaf.grad for leaf in leaves))

        def run(function):
            seen = {}
            for number, call in enumerate(CALLS[:2]):
                args, watched = globals()[call["inputs"]](call.get("seed", 0), call.get("kind", "grid"))
                given = tensors(args)
                leaves = [t for t in dict.fromkeys(given + tensors(watched)) if t.requires_grad and t.is_leaf]
                torch.manual_seed(call.get("rng_seed", 0))
                try:
                    result = function(*args)
                    outputs = tensors(result)
                    if "backward" in call:
                        backward(call, outputs, given, leaves)
                except Exception as error:
                    print(f"call {number} raises {type(error).__name__}: {error}"[:300])
                    seen[f"call {number} raised"] = True
            return seen

        expected, found, status = run(program), run(compiled(program)), 0
        for name in {**expected, **found}:
            a, b = expected.get(name), found.get(name)
            if b and not a:
                print(f"{name} differs\neager: {a}\n{backend}: {b}")
                status = 1
        print("differs" if status else "agrees")
        return status

    sys.exit(_main(*sys.argv[2:]))  # --backend NAME
