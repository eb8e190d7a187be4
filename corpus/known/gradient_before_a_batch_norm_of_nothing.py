# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formula for the gradient of batch_norm gives none where there are no elements, and the formula of the operator in front of it raises.
# note: in plain Python: script `return torch.nn.functional.batch_norm(x.sigmoid(), None, None, training=True)`, `f(x).sum().backward()` from the third run on with x of sizes 1, 1, 0: raises "Expected a proper Tensor but got None"; eager gives an empty gradient.
# expect: ts BackendRejected/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((1, 1, 0), torch.float32, (seed, 1), kind).requires_grad_()
    return (w1,), ()


def program(x1):
    y1 = x1.sigmoid()
    return torch.nn.functional.batch_norm(y1, None, None, training=True)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[0], backward_times=2),
    dict(inputs="inputs", seed=2, backward=[0], backward_times=2),
]
