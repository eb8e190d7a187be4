#!/usr/bin/env python3
"""Writes what objects of Python and PyTorch have as attributes: `generate_reserved_names.py OUTPUT`.

A class of a case file makes the names of its fields readable on any object. So no field may be called as something of an object
that a Program can get hold of, unless the language knows that name anyway. The output is a C++ initializer list.
"""

import functools
import random
import sys
import types

import torch
import torch.utils.hooks
from torch._dynamo.eval_frame import OptimizedModule
from torch._higher_order_ops.wrap import wrap
from torch.nn.attention.flex_attention import BlockMask
from torch.nn.utils import parametrize
from torch.utils._pytree import TreeSpec




TYPES = [
    torch.Tensor,
    torch.nn.Module,
    torch.nn.Parameter,
    torch.nn.Buffer,
    torch.nn.ModuleList,
    torch.nn.ModuleDict,
    torch.nn.ParameterList,
    torch.nn.ParameterDict,
    torch.nn.MultiheadAttention,
    torch.optim.Optimizer,
    torch.optim.SGD,
    torch.Generator,
    torch.dtype,
    torch.device,
    torch.layout,
    torch.memory_format,
    torch.UntypedStorage,
    torch.TypedStorage,
    torch.autograd.Function,
    torch.autograd.function.FunctionCtx,
    torch.autograd.graph.Node,
    torch.utils.hooks.RemovableHandle,
    torch.fx.GraphModule,
    torch._ops.OpOverload,
    torch._ops.OpOverloadPacket,
    torch._ops._OpNamespace,
    torch._C.FunctionSchema,
    torch._C.DispatchKeySet,
    type(wrap),
    type(torch.ops),
    type(torch.nested.nested_tensor([torch.ones(1)], layout=torch.jagged)),
    OptimizedModule,
    BlockMask,
    TreeSpec,
    parametrize.ParametrizationList,
    types.AsyncGeneratorType,
    types.BuiltinFunctionType,
    types.CellType,
    types.CodeType,
    types.CoroutineType,
    types.FrameType,
    types.FunctionType,
    types.GeneratorType,
    types.GetSetDescriptorType,
    types.MappingProxyType,
    types.MemberDescriptorType,
    types.MethodDescriptorType,
    types.MethodType,
    types.MethodWrapperType,
    types.ModuleType,
    types.TracebackType,
    types.WrapperDescriptorType,
    BaseException,
    classmethod,
    functools.partial,
    type(functools.lru_cache(print)),
    memoryview,
    property,
    random.Random,
    staticmethod,
    super,
    type,
]
# Of strings and bytes: what looks at other objects.
FURTHER = {"format", "format_map", "decode", "encode", "fromhex", "maketrans", "translate"}


def main(output):
    names = set(FURTHER)
    for each in TYPES:
        names.update(name for name in dir(each) if not name.startswith("_"))
    names.update(vars(torch.nn.Module()))
    names.update(vars(torch.optim.SGD([torch.ones(1)])))
    names.update(vars(torch.ops.aten.sin.default))
    names.update(vars(torch.compile(torch.nn.Module(), backend="eager")))
    names.update(vars(torch.compile(main, backend="eager")))
    lines = [f'"{name}",' for name in sorted(names) if name.isidentifier() and not name.startswith("_")]
    with open(output, "w") as file:
        file.write("\n".join(lines) + "\n")


main(sys.argv[1])
