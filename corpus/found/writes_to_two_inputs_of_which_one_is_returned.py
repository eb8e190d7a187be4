# touchstone: 1
# torch: 2.13.0
# note: an input that requires grad and one that does not are written to, and the second is returned: the first gets the values of the second, silently. Where none is returned, or both require grad, it agrees.
# expect: torch:aot_eager_default_partitioner Differs/input_values/call 0 arg 1
# expect: torch:aot_eager Differs/input_values/call 0 arg 1
# expect: torch:inductor Differs/input_values/call 0 arg 1
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((2,), torch.float32, (seed, 0), kind)
    w = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w * 1), (w,)


def program(x, y):
    y.mul_(3)
    x.add_(1)
    return x


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
