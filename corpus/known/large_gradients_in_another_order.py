# touchstone: 1
# torch: 2.13.0
# note: a trait of TorchScript: the gradients of a value are added in an order of its own; of three gradients two are huge and cancel, and the third is lost or not.
# note: in plain Python: script `y = torch.ones([4]); z = y + x; y += z; return (z + -z) * 1e38, y`, backward by both from the second run on: 0, eager what came in by the second.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = torch.ones((4,))
    z = y + x
    y += z
    return (z + -z) * 1e+38, y


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
]
