# touchstone: 1
# torch: 2.13.0
# note: one tensor is in a list twice, and written twice
# note: PyTorch's functionalization computes every entry of a list from what was there before the call: a defect
# note: TorchScript leaves out what writes to a list: known/write_to_a_list_is_left_out.py
# expect: torch:aot_eager Differs/values/call 0 output 0
# expect: torch:aot_eager_decomp_partition Differs/values/call 0 output 0
# expect: torch:aot_function Differs/values/call 0 output 0
# expect: ts Differs/values/call 0 output 0
# expect: simple_ts_compile Differs/values/call 0 output 0
# expect: ts_compile Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    y = data((4,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    torch._foreach_mul_([x, x], [y, y])
    torch._foreach_add_([y, y], 1)
    return x * 1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
