# touchstone: 1
# torch: 2.13.0
# note: what torch's map draws on tensors without values is not drawn from the Program's generator.
# expect: torch:inductor BackendRejected/compile
import torch
import torch._higher_order_ops


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 1), kind)
    return (x,), ()


def helper_0(t):
    return t + torch.rand(())


def program(x):
    y = torch._higher_order_ops.map(helper_0, x)
    return y, torch.nn.functional.dropout(x, p=0.5, training=True)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
