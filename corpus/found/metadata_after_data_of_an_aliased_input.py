# touchstone: 1
# torch: 2.13.0
# found-by: seed 11 case 5
# note: x1 is a slice of b0. Written first, transposed in place after: the write reaches the storage in the wrong place, so the watched base differs. A bug: the caller's data is wrong.
# expect: torch:aot_eager Differs/input_values/call 0 watched 1
# expect: torch:aot_eager_decomp_partition Differs/input_values/call 0 watched 1
# expect: torch:aot_function Differs/input_values/call 0 watched 1
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((5, 3), torch.float32, (seed, 542), kind).requires_grad_()
    b0 = w0.clone()
    x0 = b0[2:]
    return (x0,), (w0, b0)


def program(x1):
    x1 += 2
    x1.transpose_(1, 0)
    return


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
