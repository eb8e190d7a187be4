# touchstone: 1
# torch: 2.13.0
# note: without a gradient max_pool1d has a kernel that reads memory and breaks the graph; with one it does not
# expect: torch:aot_function Vacuous
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b3 = data((1, 1), torch.float64, (seed, 1), kind).requires_grad_()
    return (b3,), ()


def program(x3):
    y1 = torch.nn.functional.max_pool1d(x3, 1)
    y1.transpose_(1, 0)
    return


def inputs_changed(seed, kind):
    b3 = data((1, 1), torch.float64, (seed, 1), kind)
    return (b3,), ()


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs_changed"),
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
