# touchstone: 1
# torch: 2.13.0
# note: tensors of a list are written in place where gradients are recorded, some of them twice
# note: PyTorch's functionalization computes every entry of a list from what was there before the call: a defect
# note: TorchScript leaves out what writes to a list: known/write_to_a_list_is_left_out.py
# expect: torch:aot_eager Differs/values/call 0 output 0
# expect: torch:aot_eager_decomp_partition Differs/values/call 0 output 0
# expect: torch:aot_function Differs/values/call 0 output 0
# expect: ts Differs/values/call 0 output 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((4,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    a = x * 2
    b = y * 3
    torch._foreach_add_([a, b], [b, a])
    torch._foreach_mul_([a[0:3], a[1:4]], 2)
    return a, b.exp()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
]
