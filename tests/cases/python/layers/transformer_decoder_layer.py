# touchstone: 1
# torch: 2.13.0
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.TransformerDecoderLayer(4, 2, dim_feedforward=8, dropout=0.0, batch_first=True)

    def forward(self, x, memory):
        return self.layer(x, memory)


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), "uniform").requires_grad_()
    memory = data((2, 5, 4), torch.float32, (seed, 1), "uniform").requires_grad_()
    return (Net(), x, memory), ()


def program(m, x, memory):
    return m(x, memory)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
    dict(inputs=None, backward=[0]),
]
