# touchstone: 1
# torch: 2.13.0
# note: the variance overflows, so that its inverse is 0: eager adds up in double precision and has a gradient of 0; PyTorch's decomposition adds up in single precision, and an infinity times 0 is NaN
# expect: aot_eager_decomp_partition IllConditioned
# expect: aot_eager_decomp_partition_crossref IllConditioned
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_eager_decomp_partition Differs/gradient_values
import torch


def inputs(seed, kind):
    x = torch.tensor([[3e+38], [-3e+38], [3e+38], [-3e+38]]).requires_grad_()
    return (x,), ()


def program(x):
    return torch.nn.functional.batch_norm(x, torch.zeros(1), torch.ones(1), training=True)


CALLS = [
    dict(inputs="inputs", backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=1),
]
