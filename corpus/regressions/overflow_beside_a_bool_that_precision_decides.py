# touchstone: 1
# torch: 2.13.0
# note: a bool of one output differs in double precision; the gradient of another one overflows.
# expect: aot_eager_decomp_partition IllConditioned
# expect: aot_eager_decomp_partition_crossref IllConditioned
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b3 = data((2,), torch.float32, (seed, 550), kind)
    w6 = data((2, 2), torch.float32, (seed, 1103), kind).requires_grad_()
    return (b3, w6), ()


def program(x2, x5):
    y2 = torch.nn.functional.batch_norm(x5, torch.ones((2,)), x2, training=True)
    return y2, torch.isnan(torch.nn.functional.layer_norm(x2, (2,)))


CALLS = [
    dict(inputs="inputs", kind="special", backward=[0]),
    dict(inputs="inputs", seed=1, kind="special", backward=[0]),
]
