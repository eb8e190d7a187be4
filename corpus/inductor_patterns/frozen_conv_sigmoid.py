# touchstone: 1
# torch: 2.13.0
# note: a convolution and sigmoid behind it
# inductor: freezing
# fires: mkldnn_fusion/unary_fusion#49
# fires: mkldnn_fusion/weight_pack_pass.convolution
import torch


def inputs(seed, kind):
    torch.manual_seed(7)
    m = torch.nn.Conv2d(4, 8, 3)
    x = data((2, 4, 6, 6), torch.float32, (seed, 0), kind)
    m = m
    return (x, m), ()


def program(x, m):
    return torch.sigmoid(m(x))


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
