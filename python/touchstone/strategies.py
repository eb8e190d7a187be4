"""Random arguments for `touchstone.property`: tensors of random sizes, layouts, aliasing and values."""

import math
import random

import torch

_LAYOUTS = ("contiguous", "transposed", "sliced", "gaps", "expanded", "offset")
_SPECIAL = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e-38, 3e38)


class Drawing:
    """The choices of one draw. choose(low, high) gives an integer of a closed range; a search may shrink it."""

    def __init__(self, choose):
        self.choose = choose
        self.sizes = {}  # by name
        self.tensors = []  # drawn so far, for those that share their memory

    @classmethod
    def of_seed(cls, seed):
        """A Drawing that makes the same choices for the same seed."""
        source = random.Random(seed)
        return cls(source.randint)

    def pick(self, options):
        """One of a sequence."""
        return options[self.choose(0, len(options) - 1)]


class Strategy:
    """Something that draws values: `draw(drawing)` gives one."""

    def __init__(self, draw):
        self.draw = draw


def tensors(shape=None, dtype=torch.float32, layout=None, requires_grad=None, special=False, share=True, min_dims=0, max_dims=3, max_size=5):
    """A strategy for one tensor.

    shape: a tuple of sizes; a string instead of a size stands for a random one that is the same wherever the string stands in a
        draw, as in ("n", "m") and ("m", "k"). None draws min_dims to max_dims sizes of 1 to max_size.
    dtype: a torch.dtype or a sequence to pick from. layout: one of "contiguous", "transposed", "sliced", "gaps", "expanded" and
        "offset", or a sequence to pick from; None picks from all. requires_grad: None draws it.
    special: some values are zeros of both signs, infinities and NaNs. share: it may be a view of an earlier tensor's memory.
    """
    layouts = _LAYOUTS if layout is None else (layout,) if isinstance(layout, str) else tuple(layout)
    unknown = [each for each in layouts if each not in _LAYOUTS]
    if unknown:
        raise ValueError(f"There is no layout {unknown[0]!r}; there are {', '.join(_LAYOUTS)}.")
    dtypes = (dtype,) if isinstance(dtype, torch.dtype) else tuple(dtype)

    def draw(drawing):
        sizes = _sizes(drawing, shape, min_dims, max_dims, max_size)
        drawn_dtype = drawing.pick(dtypes)
        tensor = _shared(drawing, sizes, drawn_dtype) if share else None
        if tensor is None:
            tensor = _laid_out(drawing, sizes, drawn_dtype, drawing.pick(layouts), special)
        drawing.tensors.append(tensor)
        differentiable = tensor.is_floating_point() or tensor.is_complex()
        wanted = bool(drawing.choose(0, 1)) if requires_grad is None else requires_grad
        return tensor.requires_grad_() if wanted and differentiable else tensor

    return Strategy(draw)


def integers(low, high):
    """A strategy for an integer of a closed range."""
    return Strategy(lambda drawing: drawing.choose(low, high))


def one_of(*options):
    """A strategy for one of some values."""
    return Strategy(lambda drawing: drawing.pick(options))


def _sizes(drawing, shape, min_dims, max_dims, max_size):
    if shape is None:
        return [drawing.choose(1, max_size) for _ in range(drawing.choose(min_dims, max_dims))]
    return [drawing.sizes.setdefault(each, drawing.choose(1, max_size)) if isinstance(each, str) else each for each in shape]


def _shared(drawing, sizes, dtype):
    """Sometimes a view of an earlier tensor's memory, where that is large enough; else None."""
    if drawing.choose(0, 3) != 3:
        return None
    count = math.prod(sizes)
    large = [each for each in drawing.tensors if each.dtype == dtype and each.is_leaf and _elements(each) >= count > 0]
    if not large:
        return None
    base = drawing.pick(large).detach()
    start = drawing.choose(0, _elements(base) - count)
    return torch.empty(0, dtype=dtype).set_(base.untyped_storage(), start, torch.Size(sizes))


def _elements(tensor):
    return tensor.untyped_storage().nbytes() // tensor.element_size()


def _laid_out(drawing, sizes, dtype, layout, special):
    generator = torch.Generator().manual_seed(drawing.choose(0, 1 << 30))

    def fresh(*shape):
        return _values(drawing, shape, dtype, generator, special)

    if layout == "transposed" and len(sizes) > 1:
        return fresh(*sizes[:-2], sizes[-1], sizes[-2]).transpose(-1, -2)
    if layout == "sliced" and sizes:
        return fresh(*sizes[:-1], sizes[-1] + 2)[..., 1:-1]
    if layout == "gaps" and sizes:
        return fresh(*sizes[:-1], sizes[-1] * 2)[..., ::2]
    if layout == "expanded" and sizes:
        return fresh(1, *sizes[1:]).expand(sizes)
    if layout == "offset":
        return fresh(math.prod(sizes) + 3)[3:].view(sizes)
    return fresh(*sizes)


def _values(drawing, shape, dtype, generator, special):
    if dtype == torch.bool:
        return torch.randint(0, 2, shape, generator=generator).bool()
    if not dtype.is_floating_point and not dtype.is_complex:
        return torch.randint(-5 if dtype.is_signed else 0, 6, shape, generator=generator).to(dtype)
    values = torch.randn(shape, generator=generator, dtype=torch.complex128 if dtype.is_complex else torch.float64).to(dtype)
    if special and values.numel():
        flat = values.view(-1)
        for _ in range(drawing.choose(0, 3)):
            flat[drawing.choose(0, flat.numel() - 1)] = drawing.pick(_SPECIAL)
    return values
