# touchstone: 1
# torch: 2.13.0
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.TransformerEncoderLayer(4, 2, dim_feedforward=8, batch_first=True)

    def forward(self, x):
        return self.layer(x)


def inputs(seed, kind):
    m = Net()
    m.eval()
    x = data((2, 3, 4), torch.float32, (seed, 0), "uniform").requires_grad_()
    return (m, x), ()


def program(m, x):
    return m(x)


CALLS = [
    dict(inputs="inputs", seed=7, grad_mode="no_grad"),
    dict(inputs="inputs", seed=8, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
