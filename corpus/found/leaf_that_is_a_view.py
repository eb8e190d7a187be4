# touchstone: 1
# torch: 2.13.0
# note: a view made under no_grad requires grad where the base of its argument does: a leaf that is a view, and one that is not.
# expect: torch:aot_function Differs/requires_grad
# expect: torch:aot_eager Differs/requires_grad
# expect: torch:aot_eager_decomp_partition Differs/requires_grad
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
    b1 = data((1,), torch.float32, (seed, 1), kind)
    x1 = b1.expand((1,)).requires_grad_()
    return (x1,), ()


def inputs_changed(seed, kind):
    b1 = data((1,), torch.float32, (seed, 1), kind)
    x1 = b1.requires_grad_()
    return (x1,), ()


def program(x1):
    with torch.no_grad():
        y1 = x1[None]
    return 1.0 - y1


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs_changed"),
    dict(inputs="inputs_changed", seed=3),
    dict(inputs="inputs", seed=4),
]


if __name__ == "__main__":
    import sys

    import torch._functorch.config
    import torch._inductor.config

    def _main(backend="aot_function"):
        """1 when compiled, `program` differs from eager in requires_grad; else 0."""
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

        def run(function):
            seen = {}
            for number, call in enumerate(CALLS[:5]):
                args, watched = globals()[call["inputs"]](call.get("seed", 0), call.get("kind", "grid"))
                torch.manual_seed(call.get("rng_seed", 0))
                try:
                    result = function(*args)
                    outputs = tensors(result)
                    named = {f"output {i}": t for i, t in enumerate(outputs)}
                    for name, t in named.items():
                        seen[f"call {number} {name}"] = t.requires_grad
                except Exception as error:
                    print(f"call {number} raises {type(error).__name__}: {error}"[:300])
                    seen[f"call {number} raised"] = True
            return seen

        expected, found, status = run(program), run(compiled(program)), 0
        for name in {**expected, **found}:
            a, b = expected.get(name), found.get(name)
            if a != b:
                print(f"{name} differs\neager: {a}\n{backend}: {b}")
                status = 1
        print("differs" if status else "agrees")
        return status

    sys.exit(_main(*sys.argv[2:]))  # --backend NAME
