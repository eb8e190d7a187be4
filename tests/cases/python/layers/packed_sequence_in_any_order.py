# touchstone: 1
# torch: 2.13.0
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = torch.nn.LSTM(4, 3)

    def forward(self, x):
        packed = torch.nn.utils.rnn.pack_sequence([x[0, :1], x[1], x[0, 1:]], enforce_sorted=False)
        y, (h, c) = self.rnn(packed)
        padded, lengths = torch.nn.utils.rnn.pad_packed_sequence(y)
        return padded, lengths, c


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
