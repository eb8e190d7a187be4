# touchstone: 1
# torch: 2.13.0
# note: a Graph of several regions was tried on copies of its arguments before it ran; a copy of a view is none, and eager raised for it.
# expect: torch:aot_eager BackendRejected/compile
# expect: torch:aot_eager_decomp_partition BackendRejected/compile
# expect: torch:aot_function BackendRejected/compile
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((4, 1, 3), torch.float32, (seed, 1), kind)
    x1 = b1[2:].requires_grad_()
    return (x1,), ()


def program(x1):
    with torch.no_grad():
        y2 = x1.reshape((6, 1, 1))
    torch.add(y2, y2, out=y2)
    return


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
