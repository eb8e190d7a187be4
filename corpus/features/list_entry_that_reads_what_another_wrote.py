# touchstone: 1
# torch: 2.13.0
# note: the second entry of a list is computed from the first, which is written by then
# note: PyTorch's functionalization computes every entry of a list from what was there before the call: a defect
# note: torch:eager: Dynamo writes `_foreach_lerp_` as operators that read all entries before they write to one: a defect
# note: TorchScript leaves out what writes to a list: known/write_to_a_list_is_left_out.py
# expect: torch:eager Differs/values/call 0 output 1
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
    torch._foreach_add_([x, y], [y, x])
    torch._foreach_lerp_([x, y], [y, x], 0.25)
    return x * 1, y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
