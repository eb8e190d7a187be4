# touchstone: 1
# torch: 2.13.0
# note: TorchScript does not see that an operator writes to the tensors of a list, and leaves it out: nobody reads its results, as it has none.
# note: in plain Python: script `torch._foreach_add_([x], [y])`, then `return x`: it returns what `x` was.
# expect: ts Differs/values/call 0 output 0
# expect: simple_ts_compile Differs/values/call 0 output 0
# expect: ts_compile Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    y = data((4,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    torch._foreach_add_([x], [y])
    return x * 1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
