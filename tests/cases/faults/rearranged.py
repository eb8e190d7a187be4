# touchstone: 1
# torch: 2.13.0
# expect: fault:flips_cancelled Differs/values
# expect: fault:negative_end_is_end Differs/shape
# expect: fault:negative_select_is_first Differs/values
# expect: fault:negative_start_is_zero Differs/shape
# expect: fault:rolled_backwards Differs/values
# expect: fault:select_of_slice_from_start Differs/values
# expect: fault:transpositions_cancelled BackendRejected/forward
import torch


def inputs(seed, kind):
    x = data((4, 3, 5), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.transpose(0, 1).transpose(1, 2) * 2, x.permute(1, 2, 0).permute(1, 2, 0) * 2, torch.flip(torch.flip(x, [0]), [1]), x[1:, 1:] * 2, x[::2][1:] * 2, x[1:][0] * 2, x[-2:] * 2, x[:-1] * 2, x[-1] * 2, torch.roll(x, 1, 0), torch.flip(x, [2])


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
