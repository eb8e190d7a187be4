# touchstone: 1
# torch: 2.13.0
# note: entries of one list share memory: what the first wrote is written again
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
    x = data((6,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    torch._foreach_mul_([x[0:4], x[2:6]], 2)
    return x * 1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
