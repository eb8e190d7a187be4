# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: inside of what it differentiates a gradient is not cast to the dtype of the operand: the backward of a product in bfloat16 gets one in float32, and raises.
# note: in plain Python: script `return torch.add(torch.addmm(x, x, x), torch.full([2], 1.5))`, backward from the second run on with x in bfloat16.
# expect: ts BackendRejected/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b2 = data((1, 2, 1), torch.int64, (seed, 1), kind)
    w3 = data((1,), torch.float32, (seed, 1), kind).requires_grad_()
    return (b2, w3), ()


def program(x3, x4):
    y0 = torch.maximum(x4, x3)
    y3 = y0.bfloat16()
    y27 = torch.squeeze(y3)
    y28 = torch.ger(y27, y27)
    y34 = torch.full((2,), 1.5)
    y35 = torch.addmm(y28, y28, y28)
    y36 = torch.add(y35, y34)
    return y36


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
