# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#133512: in-place on a stride-2 input, then as_strided_copy
# note: a defect, silent, still open: the functional add makes its result contiguous and as_strided_copy reads other elements
# expect: torch:aot_eager Differs/values/call 0 output 0
# expect: torch:aot_eager_decomp_partition Differs/values/call 0 output 0
# expect: torch:aot_function Differs/values/call 0 output 0
# expect: torch:inductor Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    base = data((16,), torch.float32, (seed, 0), kind)
    x = base[::2]
    return (x,), (base,)


def program(x):
    x.add_(1)
    return torch.as_strided_copy(x, (4,), (2,), 0)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
