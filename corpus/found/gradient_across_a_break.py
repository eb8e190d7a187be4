# touchstone: 1
# torch: 2.13.0
# note: torch.autograd.grad and retain_grad behind a break of a value on which another value of the code before it is built.
# expect: aot_eager Unsupported
# expect: aot_eager_default_partitioner Unsupported
# expect: debug_nop Unsupported
# expect: invoke_subgraph Unsupported
# expect: aot_joint Unsupported
# expect: aot_functional Unsupported
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager Differs/values
# expect: torch:aot_eager_decomp_partition Differs/values
# expect: aot_eager_decomp_partition Unsupported
# expect: aot_eager_decomp_partition_crossref Unsupported
# expect: ts Differs/values
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


def inputs(seed, kind):
    b1 = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    return (b1,), ()


def program(x1):
    y1 = x1 * 2
    y2 = y1.sin()
    torch._dynamo.graph_break()
    y3 = torch.autograd.grad((y1 * 3).sum() + y2.sum(), [y1])
    return y3


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
    dict(inputs="inputs", seed=4),
]


if __name__ == "__main__":
    import argparse
    import sys

    import torch._functorch.config
    import torch._inductor.config

    def _main(backend="aot_function"):
        """1 when compiled, `program` differs from eager in anything observed, bit for bit; else 0."""
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

        def outline(value):
            if isinstance(value, dict):
                return {key: outline(part) for key, part in value.items()}
            if isinstance(value, (list, tuple)):
                return type(value).__name__, [outline(part) for part in value]
            return "tensor" if isinstance(value, torch.Tensor) else "value"

        def others(value):  # what is no tensor
            value = list(value.values()) if isinstance(value, dict) else value
            if isinstance(value, (list, tuple)):
                return [other for part in value for other in others(part)]
            return [] if isinstance(value, torch.Tensor) else [repr(value)]

        def strides(t):  # those that matter
            return [stride for stride, size in zip(t.stride(), t.shape) if size > 1 and t.numel() > 1]

        def sharing(t, named):  # who else is in the same storage, and in which bytes
            def span(u):
                last = sum((size - 1) * stride for size, stride in zip(u.shape, u.stride())) if u.numel() else -1
                return u.storage_offset() * u.itemsize, (u.storage_offset() + last + 1) * u.itemsize

            shared = {k: u for k, u in named.items() if u.untyped_storage()._cdata == t.untyped_storage()._cdata}
            return {other: span(u) for other, u in shared.items()} if len(shared) > 1 else {}

        def same_object(t, named, given):
            # An alias of an input may be another object.
            return [other for other, u in named.items() if u is t and not any(u is v for v in given)]

        def storage(t):  # all of it, gaps included
            return torch.empty(0, dtype=t.dtype).set_(t.untyped_storage())

        def modes_and_generator():
            state = [torch.get_rng_state(), torch.is_grad_enabled(), torch.is_inference_mode_enabled()]
            return state + [torch.is_autocast_enabled("cpu"), torch.get_default_dtype()]

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

        def effects(t, named):  # who changes when `t` is written to
            with torch.inference_mode():
                saved, before = storage(t).clone(), {other: bits(u) for other, u in named.items()}
                changed = []
                for fill in (0, 1):
                    t.detach().fill_(fill)
                    changed += [other for other, u in named.items() if bits(u) != before[other]]
                    storage(t).copy_(saved)
                return [other for other in named if other in changed]

        def run(function):
            seen = {}
            kept = []
            late = []  # what is looked at again after later calls
            for number, call in enumerate(CALLS[:4]):
                try:
                    args, watched = globals()[call["inputs"]](call.get("seed", 0), call.get("kind", "grid"))
                    given = tensors(args)
                    versions = {f"arg {i}": t._version for i, t in enumerate(given)}
                    versions |= {f"watched {i}": t._version for i, t in enumerate(tensors(watched))}
                    torch.manual_seed(call.get("rng_seed", 0))
                    result = function(*args)
                    seen[f"call {number} state"] = modes_and_generator()
                    outputs = tensors(result)
                    seen[f"call {number} structure"] = outline(result)
                    seen[f"call {number} non_tensor"] = others(result)
                    named = {f"output {i}": t for i, t in enumerate(outputs)}
                    named |= {f"arg {i}": t for i, t in enumerate(given)}
                    named |= {f"watched {i}": t for i, t in enumerate(tensors(watched))}
                    kept.append((number, named))
                    late += [(f"call {number} {name}", t) for name, t in named.items() if name.startswith("output")]
                    for name, t in named.items():
                        seen[f"call {number} {name} identity"] = same_object(t, named, given)
                        seen[f"call {number} {name} partition"] = sharing(t, named)
                        seen[f"call {number} {name} precision"] = t.detach().clone()
                        if name.startswith("output"):
                            seen[f"call {number} {name} values"] = t.detach().clone()
                            seen[f"call {number} {name} dtype"] = (t.dtype, t.device, t.is_conj(), t.is_neg())
                            seen[f"call {number} {name} shape"] = tuple(t.shape)
                            seen[f"call {number} {name} strides"] = strides(t)
                            seen[f"call {number} {name} offset"] = t.storage_offset() if t.numel() else 0
                            seen[f"call {number} {name} requires_grad"] = t.requires_grad
                            seen[f"call {number} {name} leaf"] = (t.is_leaf, t.is_inference())
                            seen[f"call {number} {name} grad_fn"] = t.grad_fn is not None
                        if not name.startswith("output"):
                            seen[f"call {number} {name} version"] = t._version != versions[name]
                            seen[f"call {number} {name} input_values"] = t.detach().clone()
                            seen[f"call {number} {name} input_metadata"] = (t.dtype, tuple(t.shape), strides(t), t.requires_grad, t.is_leaf, t.grad_fn is not None)
                            seen[f"call {number} {name} storage_bytes"] = storage(t).clone()
                except Exception as error:
                    print(f"call {number} raises {type(error).__name__}: {error}"[:300])
                    seen[f"call {number} raised"] = True
                for name, t in late:
                    seen[f"{name} looked at again after call {number}"] = t if t is None else t.detach().clone()
            for number, named in kept:
                for name, t in named.items():
                    seen[f"call {number} {name} effect"] = effects(t, named)
            return seen

        def differ(name, a, b):
            if "version" in name:
                return a and not b  # a compiler may count more, not less
            return not same(a, b)

        expected, found = run(program), run(compiled(program))
        compared = {name: (expected.get(name), found.get(name)) for name in {**expected, **found}}
        different = {name: pair for name, pair in compared.items() if differ(name, *pair)}
        lines = [f"{name} differs\neager: {a}\n{backend}: {b}" for name, (a, b) in different.items()]
        print("\n".join([*lines, "differs" if lines else "agrees"]))
        return int(bool(lines))

    parser = argparse.ArgumentParser(description=_main.__doc__)
    parser.add_argument("--backend", default="aot_function", help="as torch.compile knows it; none: eager again")
    sys.exit(_main(parser.parse_args().backend))
