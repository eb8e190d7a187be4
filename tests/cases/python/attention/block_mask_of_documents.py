# touchstone: 1
# torch: 2.13.0
import torch
import torch.nn.attention.flex_attention


def inputs(seed, kind):
    q = data((1, 2, 8, 4), torch.float32, (seed, 0), kind)
    k = data((1, 2, 8, 4), torch.float32, (seed, 1), kind)
    v = data((1, 2, 8, 4), torch.float32, (seed, 2), kind)
    documents = data((8,), torch.int64, (seed, 3), kind) // 8
    return (q, k, v, documents), ()


def program(q, k, v, documents):
    def same(b, h, i, j):
        return documents[i] == documents[j]
    mask = torch.nn.attention.flex_attention.create_block_mask(same, None, None, 8, 8, device="cpu")
    return torch.nn.attention.flex_attention.flex_attention(q, k, v, block_mask=mask)


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
