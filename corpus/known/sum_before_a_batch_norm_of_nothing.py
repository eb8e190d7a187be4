# touchstone: 1
# torch: 2.13.0
# note: a second one of `gradient_before_a_batch_norm_of_nothing`: a sum in front of it, and the formula asserts.
# expect: ts InternalError/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((1, 0), torch.float32, (seed, 1), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.nn.functional.batch_norm(x + x, None, None)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
