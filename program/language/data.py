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
