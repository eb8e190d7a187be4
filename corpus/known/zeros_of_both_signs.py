# touchstone: 1
# torch: 2.13.0
# note: TorchScript takes the constants 0.0 and -0.0 for one: x / -0.0 beside x / 0.0 has the wrong sign. A bug.
# expect: simple_ts_compile Differs/values
# expect: ts_compile Differs/values
# expect: aot_ts Differs/values
# expect: nnc_jit Differs/values
# expect: memory_efficient_fusion Differs/values
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind).abs() + 1
    return (x,), ()


def program(x):
    return x / 0.0, x / -0.0


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
