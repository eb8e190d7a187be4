# touchstone: 1
# torch: 2.13.0
# note: batch_norm with sizes of one: eager gives wrong gradients for a tangent that is contiguous in channels-last too, so that strides of dimensions of size one in a sum of gradients count
# expect: torch:aot_eager EagerUnstable
# expect: torch:aot_eager_decomp_partition EagerUnstable
# expect: torch:aot_function EagerUnstable
# expect: torch:inductor EagerUnstable
# expect: aot_eager_decomp_partition EagerUnstable
# expect: aot_eager_decomp_partition_crossref EagerUnstable
# expect: ts EagerUnstable
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((2, 2, 1, 2), torch.float32, (seed, 1), kind).requires_grad_()
    x0 = w0[1:]
    return (x0,), (w0,)


def program(x0):
    y4 = torch.nn.functional.batch_norm(x0, x0.new_zeros(x0.shape[1]), x0.new_ones(x0.shape[1]), training=True)
    y6 = torch.lerp(y4, y4, 0.25)
    return y6


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_layout="transposed"),
    dict(inputs="inputs", seed=2, backward=[0], tangent_layout="transposed"),
]
