# touchstone: 1
# torch: 2.13.0
# note: the tensors of a list that is an `out` are written to
# note: TorchScript leaves out what writes to a list: known/write_to_a_list_is_left_out.py
# expect: ts Differs/version/call 0 arg 0
# expect: simple_ts_compile Differs/version/call 0 arg 0
# expect: ts_compile Differs/version/call 0 arg 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    a = data((2,), torch.float32, (seed, 1), kind)
    b = data((2,), torch.float32, (seed, 2), kind)
    return (x, a, b), ()


def program(x, a, b):
    torch.split_with_sizes_copy(x, [2, 2], out=[a, b])
    torch.unbind_copy(x.view(2, 2), out=[a, x[0:2]])
    return a + b


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
