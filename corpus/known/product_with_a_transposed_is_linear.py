# touchstone: 1
# torch: 2.13.0
# note: a trait of TorchScript: matmul with what `t` gives becomes linear, which adds up in another way where eager multiplies batch by batch; zeros get another sign.
# note: in plain Python: script `return x @ x[0].t()`, with x = `torch.tensor([[-1.], [0.]]).expand(2, 2, 1)`, which requires grad: zeros of the other sign, from the first run on.
# expect: ts Differs/values/call 1 output 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((2, 1), torch.float32, (seed, 963), kind).requires_grad_()
    x2 = w1.expand((2, 2, 1))
    return (x2,), (w1,)


def program(x2):
    return x2 @ x2[0].t()


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=8),
]
