# touchstone: 1
# torch: 2.13.0
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.EmbeddingBag(6, 4, mode="max", padding_idx=2)

    def forward(self, x, rows):
        return self.table(rows) + x


def inputs(seed, kind):
    x = data((2, 4), torch.float32, (seed, 0), "uniform").requires_grad_()
    rows = data((2, 3), torch.int64, (seed, 1), kind) % 6
    return (Net(), x, rows), ()


def program(m, x, rows):
    return m(x, rows)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
    dict(inputs=None, backward=[0]),
]
