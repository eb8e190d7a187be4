# touchstone: 1
# torch: 2.13.0
# note: autograd.grad with respect to a view that was written to in place, of what an as_strided view of another argument stands beside
# expect: torch:aot_eager BackendRejected/forward
# expect: torch:aot_eager_decomp_partition BackendRejected/forward
# expect: torch:aot_function Unsupported
# expect: torch:inductor BackendRejected/forward
# expect: aot_eager Unsupported
# expect: aot_eager_decomp_partition Unsupported
# expect: aot_eager_decomp_partition_crossref Unsupported
# expect: invoke_subgraph Unsupported
# expect: aot_joint Unsupported
# expect: aot_functional Unsupported
# expect: aot_eager_default_partitioner Unsupported
# expect: debug_nop Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_ts Unsupported
# expect: nnc_jit Unsupported
# expect: memory_efficient_fusion Unsupported
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


def program(x0, x2, x3):
    torch.threshold_(x3, 0.5, 0.25)
    torch.autograd.grad(x3.sum(), [x3], retain_graph=True)
    return


def inputs(seed, kind):
    b0 = data((), torch.float32, (seed, 1), kind).requires_grad_()
    w1 = data((1, 1), torch.float64, (seed, 1), kind).requires_grad_()
    b1 = w1.clone()
    x2 = torch.as_strided(b0, (1, 1), (1, 1), 0)
    x3 = b1.permute((1, 0))
    return (b0, x2, x3), (w1,)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]


if __name__ == "__main__":
    import argparse
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
            return torch.compile(function, backend=backend, dynamic=False, fullgraph=False, options=None)

        def run(function):
            seen = {}
            for number, call in enumerate(CALLS[:3]):
                try:
                    args, watched = globals()[call["inputs"]](call.get("seed", 0), call.get("kind", "grid"))
                    torch.manual_seed(call.get("rng_seed", 0))
                    result = function(*args)
                except Exception as error:
                    print(f"call {number} raises {type(error).__name__}: {error}"[:300])
                    seen[f"call {number} raised"] = True
            return seen

        def differ(name, a, b):
            return b and not a

        expected, found = run(program), run(compiled(program))
        compared = {name: (expected.get(name), found.get(name)) for name in {**expected, **found}}
        different = {name: pair for name, pair in compared.items() if differ(name, *pair)}
        lines = [f"{name} differs\neager: {a}\n{backend}: {b}" for name, (a, b) in different.items()]
        print("\n".join([*lines, "differs" if lines else "agrees"]))
        return int(bool(lines))

    parser = argparse.ArgumentParser(description=_main.__doc__)
    parser.add_argument("--backend", default="aot_eager", help="as torch.compile knows it; none: eager again")
    sys.exit(_main(parser.parse_args().backend))
