"""Marks of dimensions: what a case's `inputs` functions say of their tensors, said to Dynamo."""

import operator

import torch._dynamo


def mark(function, tensor, dimension, minimum, maximum):
    """`function` is the name after `torch._dynamo.`; bounds that are None are not given."""
    bounds = {name: bound for name, bound in (("min", minimum), ("max", maximum)) if bound is not None}
    operator.attrgetter(function)(torch._dynamo)(tensor, dimension, **bounds)
