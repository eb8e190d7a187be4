# touchstone: 1
# torch: 2.11.0
# device: cuda
# note: one kernel on CUDA, several operators elsewhere; special values come out otherwise where a tracer takes it apart
import torch

torch.set_default_device("cuda")


def inputs(seed, kind):
    w0 = data((5, 3), torch.float32, (seed, 253), kind).requires_grad_()
    b0 = w0.clone()
    x0 = b0[1:]
    x2 = b0.permute((1, 0))
    return (x0, x2), (w0, b0)


def program(x0, x2):
    x2.ceil_()
    y0 = torch.nn.functional.rms_norm(x0, (3,))
    y0.squeeze_(0)
    return y0


CALLS = [
    dict(inputs="inputs", seed=10, kind="special"),
    dict(inputs="inputs", seed=11, kind="special"),
    dict(inputs="inputs", seed=12),
]
