# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its derivative of `linear` reshapes to (-1, 0), which nobody can.
# note: in plain Python: script `return torch.nn.functional.linear(x, w) * 2`, with (1, 0) for both: the second backward raises.
# expect: ts BackendRejected/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((2, 0), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((1, 0), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    return torch.nn.functional.linear(x, y) * 2


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
