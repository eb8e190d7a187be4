# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: x + 0, x - 0, x * 1 and x / 1 become x where its sizes are known: a negative zero stays one, bools stay bools, and the result is no tensor of its own.
# note: in plain Python: script `n = torch.neg(x); a = torch.as_strided(x, [7], [1], 0); s = torch.as_strided_scatter(a, n, [3], [1], 4); return s, torch.add(n, 0)`: `f(torch.zeros(7)[4:])[1]` is -0.
# expect: aot_ts Differs/values/call 0 output 0
# expect: nnc_jit Differs/values/call 0 output 0
# expect: memory_efficient_fusion Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    b0 = data((7,), torch.float32, (seed, 718), kind)
    x0 = torch.as_strided(b0, (3,), (1,), 4)
    return (x0,), ()


def program(x0):
    torch.neg(x0, out=x0)
    y6 = torch.add(x0, 0)
    return y6


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
    dict(inputs="inputs", seed=2),
]
