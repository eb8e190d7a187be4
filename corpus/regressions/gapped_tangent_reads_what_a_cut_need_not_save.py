# touchstone: 1
# torch: 2.13.0
# note: a backward recorded later, for a gapped tangent, computes from an input what the one that was cut computes from other values.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((1, 2), torch.float32, (seed, 1), kind).requires_grad_()
    b1 = data((2,), torch.float32, (seed, 1), kind)
    x0 = w0.expand((2, 2))
    return (x0, b1), (w0,)


def program(x0, x1):
    y0 = torch.nn.functional.group_norm(x0, 1)
    y1 = torch.lerp(y0, y0, y0)
    y2 = torch.copysign(x1, y1)
    return y2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_layout="gapped"),
    dict(inputs="inputs", seed=2, backward=[0], tangent_layout="gapped"),
    dict(inputs="inputs", seed=3, backward=[0]),
    dict(inputs="inputs", seed=4, backward=[0], tangent_layout="gapped"),
]
