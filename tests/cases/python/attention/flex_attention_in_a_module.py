# touchstone: 1
# torch: 2.13.0
import torch
import torch.nn.attention.flex_attention


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(4, 12)

    def forward(self, x):
        q, k, v = self.lin(x).chunk(3, dim=-1)
        mask = torch.nn.attention.flex_attention.create_block_mask(causal, None, None, 8, 8, device="cpu")
        return torch.nn.attention.flex_attention.flex_attention(q, k, v, block_mask=mask)


def causal(b, h, q, k):
    return q >= k


def inputs(seed, kind):
    x = data((1, 2, 8, 4), torch.float32, (seed, 0), kind)
    return (Attention(), x), ()


def program(m, x):
    return m(x)


CALLS = [
    dict(inputs="inputs", seed=7, grad_mode="no_grad"),
    dict(inputs="inputs", seed=8, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
