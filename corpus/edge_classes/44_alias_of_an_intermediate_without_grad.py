# touchstone: 1
# torch: 2.13.0
# note: a no-grad alias of an intermediate beside a differentiable one
# note: a defect of AOTAutograd, small: eager's no_grad view has no grad_fn and is a leaf; the regenerated view has a grad_fn
# expect: torch:aot_eager Differs/leaf/call 0 output 1
# expect: torch:aot_eager_decomp_partition Differs/leaf/call 0 output 1
# expect: torch:aot_function Differs/leaf/call 0 output 1
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.mul(2)
    with torch.no_grad():
        z = y.view(-1)
    return y.t(), z


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
