"""Are two tensors' values the same, to the bit or within what rounding explains?"""

import math

import torch

MULTIPLE = 8  # compiled's error may be this many times eager's largest
_TOLERANCES = {torch.float16: (1e-3, 1e-5), torch.bfloat16: (1.6e-2, 1e-5), torch.float32: (1.3e-6, 1e-5), torch.float64: (1e-7, 1e-7),
               torch.complex64: (1.3e-6, 1e-5), torch.complex128: (1e-7, 1e-7)}
_WITHOUT_REFERENCE = 1e-4


def value_difference(eager, compiled, reference=None, exact=True):
    """What differs between two tensors of one shape and dtype as a text; "" where nothing does.

    NaNs are equal, signed zeros are not. With `exact=False` an element may be off by MULTIPLE times eager's largest error
    against `reference()` (a tensor in double precision, or None) and the usual tolerance of its dtype; elements that the
    reference shows to be decided by rounding (another integer, infinite instead of finite) are free.
    """
    eager, compiled = _plain(eager), _plain(compiled)
    wrong = ~_equal_bits(eager, compiled)
    if exact or not wrong.any():
        return _text(eager, compiled, wrong)
    exactly = reference() if reference else None
    exactly = _plain(exactly) if exactly is not None and exactly.shape == eager.shape else None
    if not (eager.is_floating_point() or eager.is_complex()):
        if exactly is not None:
            wrong &= eager == exactly.to(eager.dtype)
        return _text(eager, compiled, wrong)
    return _text(eager, compiled, wrong & ~_rounding_explains(eager, compiled, exactly))


def _rounding_explains(eager, compiled, exactly):
    wide = torch.complex128 if eager.is_complex() else torch.float64
    relative, absolute = _TOLERANCES.get(eager.dtype, (0.3, 1e-2))
    e, c = eager.to(wide), compiled.to(wide)
    if exactly is None or exactly.dtype != wide:
        tolerance = max(relative, _WITHOUT_REFERENCE)
        return (e - c).abs() <= tolerance + tolerance * e.abs()
    finite = torch.isfinite(e) & torch.isfinite(exactly)
    largest = (e - exactly).abs()[finite].max().item() if finite.any() else 0.0
    near = (c - exactly).abs() <= MULTIPLE * largest + absolute + relative * exactly.abs()
    return near | (torch.isfinite(e) != torch.isfinite(exactly))


def _plain(tensor):
    return tensor.detach().resolve_conj().resolve_neg()


def _equal_bits(a, b):
    if a.is_complex():
        return _equal_bits(torch.view_as_real(a), torch.view_as_real(b)).all(-1)
    if not a.is_floating_point():
        return a == b
    if a.element_size() == 1:
        a, b = a.float(), b.float()
    return ((a == b) & (torch.signbit(a) == torch.signbit(b))) | (torch.isnan(a) & torch.isnan(b))


def _text(eager, compiled, wrong):
    count = int(wrong.sum())
    if not count:
        return ""
    place = tuple(wrong.nonzero()[0].tolist())
    mine, other = eager[place].item(), compiled[place].item()
    if isinstance(mine, float) and math.isclose(mine, other, rel_tol=1e-5):
        mine, other = repr(mine), repr(other)
    at = f" first at {list(place)}:" if place else ""
    return f"{count} of {eager.numel()} elements differ,{at} {mine} in eager mode, {other} when compiled"
