# touchstone: 1
# torch: 2.13.0
# found-by: seed 77 case 15540
# note: assigning to a slice that covers the whole dimension writes to the tensor itself, not to a view of it: the gradient's strides tell
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((1, 2, 2), torch.float32, (seed, 1), kind).requires_grad_()
    b1 = w1 * 2
    return (b1,), (w1,)


def program(x2):
    x2[0:1] = 2
    y8 = x2.permute((2, 1, 0))
    return (y8,)


CALLS = [
    dict(inputs="inputs", backward=[0], via="grad", tangent_layout="gapped"),
    dict(inputs="inputs", seed=1, backward=[0], via="grad", tangent_seed=1, tangent_layout="gapped"),
]
