# touchstone: 1
# torch: 2.13.0
# note: a view is given a history by a copy into it; code behind a break writes to it in place once more.
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def program(x3, x4):
    x4.copy_(x3)
    if x3 > 1:
        x3 = x4
    else:
        x4.gt_(0)
    return


def inputs_changed(seed, kind):
    w0 = data((2, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b1 = data((2, 2), torch.float32, (seed, 1), kind)
    x3 = torch.as_strided(w0, (1,), (1,), 1)
    x4 = b1.permute((1, 0))
    return (x3, x4), (w0,)


CALLS = [
    dict(inputs="inputs_changed"),
    dict(inputs="inputs_changed", seed=2),
    dict(inputs="inputs_changed", seed=3),
    dict(inputs="inputs_changed", seed=4),
    dict(inputs="inputs_changed", seed=5),
]
