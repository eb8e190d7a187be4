# touchstone: 1
# torch: 2.13.0
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        layer = torch.nn.TransformerEncoderLayer(4, 2, dim_feedforward=8, dropout=0.0, batch_first=True)
        self.encoder = torch.nn.TransformerEncoder(layer, 1)

    def forward(self, x, hidden):
        return self.encoder(x, src_key_padding_mask=hidden)


def inputs(seed, kind):
    m = Net()
    m.eval()
    x = data((2, 3, 4), torch.float32, (seed, 0), "uniform").requires_grad_()
    hidden = torch.zeros(2, 3, dtype=torch.bool)
    hidden[1, 2] = True
    return (m, x, hidden), ()


def program(m, x, hidden):
    return m(x, hidden)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
    dict(inputs=None, backward=[0]),
]
