# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: what is differentiated together is a view of an argument and a pooling that gives indices; as it takes the view out again, it asks for an element that is not there, and the second run raises.
# note: in plain Python: script `z = x.unsqueeze(0); return z, torch.ops.aten.max_pool2d_with_indices(z, [1, 1])[1]`; the second call raises with x that requires grad, of sizes 2, 2: `vector::_M_range_check`.
# expect: ts BackendRejected/forward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((2, 2), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    z = x.unsqueeze(0)
    y, i = torch.nn.functional.max_pool2d(z, 1, return_indices=True)
    return z, i


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
