# touchstone: 1
# torch: 2.13.0
# note: a backward that was not planned, of what was compiled under autocast
# expect: ts_compile Unsupported
# expect: simple_ts_compile Unsupported
# expect: torch:inductor BackendRejected/compile
import torch


def inputs(seed, kind):
    b5 = data((1, 1, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (b5,), ()


def program(x5):
    return (torch.nn.functional.conv_transpose2d(x5, x5[:, None]),)


CALLS = [
    dict(inputs="inputs", autocast=torch.bfloat16, backward=[0]),
    dict(inputs="inputs", seed=1, autocast=torch.bfloat16, backward=[0]),
]
COMPILE = dict(dynamic=True)
