# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#131794: unused inputs get zeros where eager gives None
# note: rule A5: the gradient is zero instead of None; open
# expect: torch:aot_eager NoneBecameZero
# expect: torch:aot_eager_decomp_partition NoneBecameZero
# expect: torch:aot_function NoneBecameZero
# expect: torch:inductor NoneBecameZero
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    return x.mul(2), y.mul(3)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
