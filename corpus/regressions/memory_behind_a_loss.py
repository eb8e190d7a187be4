# touchstone: 1
# torch: 2.13.0
# note: eager reduces a loss into memory of its own; what lies behind the sum is read through a view. Simpler operators leave no such memory
# expect: torch:eager BackendRejected/compile
# expect: torch:aot_eager BackendRejected/compile
# expect: torch:aot_eager_decomp_partition BackendRejected/compile
# expect: torch:aot_function BackendRejected/compile
# expect: torch:inductor BackendRejected/compile
# expect: aot_eager_decomp_partition Unsupported
# expect: aot_eager_decomp_partition_crossref Unsupported
# expect: memory_efficient_fusion Unsupported
import torch


def inputs(seed, kind):
    b1 = data((2, 2), torch.float16, (seed, 1), kind)
    return (b1,), ()


def program(x1):
    y0 = torch.nn.functional.soft_margin_loss(x1, x1)
    y2 = y0.as_strided_((1, 2), (2, 1), 1)
    return y2


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
