# touchstone: 1
# torch: 2.13.0
# note: one complex element whose memory has stride 0 is written through its real part.
import torch


def inputs(seed, kind):
    b1 = data((1,), torch.complex128, (seed, 1), kind)
    x1 = b1.expand((2,))
    return (x1,), ()


def program(x1):
    y1 = torch.conj_physical(x1[..., 1:])
    y2 = torch.real(y1)
    torch.nn.functional.relu(y2, inplace=True)
    return (y2,)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
