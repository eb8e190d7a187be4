# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: a transposition of a transposition becomes the operand, also where what is transposed was transposed in place in between: the result has the other sizes.
# note: in plain Python: script `y = x.t(); y.t_(); return y.t()`.
# expect: ts Differs/shape/call 0 output 0
# expect: simple_ts_compile Differs/shape/call 0 output 0
# expect: ts_compile Differs/shape/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.t()
    y.t_()
    return y.t() + 1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
