# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: a constant bool tensor of one element that is added or multiplied becomes the number True, which no operator takes: an assertion of its own fails.
# note: in plain Python: freeze the script of a module whose forward returns `x + self.b`, with a buffer `b = torch.tensor(True)`; the first call asserts.
# expect: simple_ts_compile InternalError/forward
# expect: ts_compile InternalError/forward
# expect: aot_ts InternalError/forward
# expect: nnc_jit InternalError/forward
# expect: memory_efficient_fusion InternalError/forward
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x + torch.tensor(True)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
