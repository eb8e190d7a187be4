# touchstone: 1
# torch: 2.13.0
# note: a backward that reads sizes alone of an input, which is computed again from that input and written to behind a graph break: it raises as eager does
# expect: torch:aot_eager BackendAccepts
# expect: torch:aot_eager_decomp_partition BackendAccepts
# expect: torch:aot_function Unsupported
# expect: torch:inductor BackendAccepts
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w = data((3, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (w.mul(1),), (w,)


def program(x):
    y = torch.gather(x, 1, torch.zeros_like(x, dtype=torch.int64))
    int(x.sum())
    x.add_(1)
    return y


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
    dict(inputs="inputs", seed=4, backward=[0]),
]
