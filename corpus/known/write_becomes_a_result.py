# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: the pass that removes writes makes `y.logical_not_()` `logical_not(y)`, and the result is of another dtype, or has other strides.
# note: in plain Python: script `y = x.clone(); y.logical_not_(); return y`, `torch._C._jit_pass_remove_mutation(f.graph)`: `f(torch.ones(2)).dtype` is torch.bool.
# expect: ts_compile Differs/dtype/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((2,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x + x
    y.logical_not_()
    return y


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
