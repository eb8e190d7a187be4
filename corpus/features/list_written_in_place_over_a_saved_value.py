# touchstone: 1
# torch: 2.13.0
# note: what was saved for the backward in front of the call is written through a list: eager refuses the backward
# note: TorchScript leaves out what writes to a list: known/write_to_a_list_is_left_out.py
# expect: ts Differs/version/call 0 arg 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    x = data((4,), torch.float32, (seed, 1), kind)
    y = w * x
    return (x, y), (w,)


def program(x, y):
    torch._foreach_add_([x], 1)
    return y * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
