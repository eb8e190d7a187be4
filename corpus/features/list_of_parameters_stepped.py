# touchstone: 1
# torch: 2.13.0
# note: parameters are stepped by their gradients, as an optimizer does it
# note: TorchScript leaves out what writes to a list: known/write_to_a_list_is_left_out.py
# expect: ts Differs/values/call 0 output 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    p = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    q = data((2, 2), torch.float32, (seed, 1), kind).requires_grad_()
    g = data((4,), torch.float32, (seed, 2), kind)
    h = data((2, 2), torch.float32, (seed, 3), kind)
    return (p, q, g, h), ()


def program(p, q, g, h):
    with torch.no_grad():
        torch._foreach_add_([p, q], [g, h], alpha=-0.5)
    return p.sum() + q.sum()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
