# touchstone: 1
# torch: 2.13.0
# note: a convolution that is added to what it was made of, and to itself
# inductor: freezing
# fires: mkldnn_fusion/binary_unary_fusion#5
# fires: mkldnn_fusion/weight_pack_pass.convolution
import torch


def inputs(seed, kind):
    torch.manual_seed(7)
    m = torch.nn.Conv2d(8, 8, 3, padding=1)
    x = data((2, 8, 6, 6), torch.float32, (seed, 0), kind)
    m = m
    return (x, m), ()


def program(x, m):
    y = torch.relu(x)
    z = m(y)
    return z + y, torch.relu(y + m(z)), z + z


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
