# touchstone: 1
# torch: 2.13.0
# note: a convolution and one tensor that nothing else uses, sub
# inductor: freezing
# fires: mkldnn_fusion/binary_unary_fusion#9
# fires: mkldnn_fusion/weight_pack_pass.convolution
import torch


def inputs(seed, kind):
    torch.manual_seed(7)
    m = torch.nn.Conv2d(4, 8, 3)
    x = data((2, 4, 6, 6), torch.float32, (seed, 0), kind)
    y = data((2, 8, 4, 4), torch.float32, (seed, 1), kind)
    m = m
    return (x, y, m), ()


def program(x, y, m):
    return m(x) - y.sin()


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
