# touchstone: 1
# torch: 2.13.0
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = torch.nn.GRU(4, 3, batch_first=True)

    def forward(self, x):
        packed = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor([3, 2]), batch_first=True)
        y, h = self.rnn(packed)
        padded, lengths = torch.nn.utils.rnn.pad_packed_sequence(y, batch_first=True)
        return padded, lengths, h


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), "uniform").requires_grad_()
    return (Net(), x), ()


def program(m, x):
    return m(x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
    dict(inputs=None, backward=[0]),
]
