# touchstone: 1
# torch: 2.13.0
# note: operators that write to the tensors of a list
# note: TorchScript leaves out what writes to a list: known/write_to_a_list_is_left_out.py
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
    torch._foreach_mul_((x, y), [2.0, 3.0])
    return x * y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
