# touchstone: 1
# torch: 2.13.0
# note: the backward of the mean of no element divides by their number while it is traced: ZeroDivisionError where eager returns NaN. So do smooth_l1_loss and group_norm.
# expect: torch:aot_function BackendRejected/compile
# expect: torch:aot_eager_default_partitioner BackendRejected/compile
# expect: torch:aot_eager BackendRejected/compile
# expect: torch:aot_eager_decomp_partition BackendRejected/compile
# expect: torch:inductor BackendRejected/compile
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((0, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.nn.functional.mse_loss(x, x + 1)


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
