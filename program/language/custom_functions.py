"""The family of custom autograd functions that generators draw from. Several gradients are not the derivative on purpose: a compiler that
differentiates the forward instead of calling the backward is seen. Comments stand above a class, not in it."""

import torch


# A new tensor with the same values; the gradient passes through.
class Identity(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g


# Saves nothing; the gradient is 3, not 2.
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 3


class SavesInput(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * 2


class SavesOutput(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


# Writes to its input and returns it.
class MarksDirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 3


# The second output takes no part in autograd, though it is a float tensor.
class NonDifferentiable(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        z = x + 1
        ctx.mark_non_differentiable(z)
        return y, z

    @staticmethod
    def backward(ctx, g, h):
        return g * 3


# The input itself: autograd makes a view of it.
class ReturnsInput(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


class ReturnsView(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.transpose(0, -1)

    @staticmethod
    def backward(ctx, g):
        return g.transpose(0, -1) * 2


class TwoInputsTwoOutputs(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b, a - b

    @staticmethod
    def backward(ctx, g, h):
        a, b = ctx.saved_tensors
        return g * b + h, g * a - h


# Counts its backwards in a buffer that the caller holds.
class WritesBuffer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.b = b
        return a * 2

    @staticmethod
    def backward(ctx, g):
        ctx.b.add_(1)
        return g * 3, None


# The gradient is computed with what the backward leaves in what was saved.
class WritesSaved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(b)
        return a * 2

    @staticmethod
    def backward(ctx, g):
        (b,) = ctx.saved_tensors
        b.add_(1)
        return g * b, None


# Other sizes, in the backward, for what the caller holds.
class TransposesBuffer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.b = b
        return a * 2

    @staticmethod
    def backward(ctx, g):
        ctx.b.transpose_(0, -1)
        return g * 3, None


# Whoever else holds the tangent sees the write.
class WritesTangent(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        g.mul_(2)
        return g * 3


# Is told None, not zeros, for an output without a tangent; hands None on.
class KeepsNone(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g, h):
        if g is None:
            return None
        return g * 2 if h is None else g * 2 + h * 3
