"""Runs the functions of many cases with plain PyTorch and prints what came of each.

The file given holds cases, each after a line `#### CASE name`. What is printed for one is what
`tests/graph/PythonComparison.h` prints for the C++ evaluator: line by line the same, or the test fails.
"""

import re
import struct
import sys
import warnings

import torch

KINDS = {"parameter": 0, "buffer": 1, "module": 2, "plain": 3}


def number_text(value):
    if isinstance(value, bool) or isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return "float:" + struct.pack(">d", value).hex()
    return "complex:" + struct.pack(">dd", value.real, value.imag).hex()


def tensor_text(tensor, with_grad=True):
    values = tensor.detach().resolve_conj().resolve_neg().contiguous()
    data = bytes(values.reshape(-1).view(torch.uint8).tolist()) if values.numel() else b""
    text = (
        f"Tensor({tensor.dtype} {list(tensor.shape)} {list(tensor.stride())} {tensor.storage_offset()} "
        f"{tensor.requires_grad} {tensor.is_leaf} {data.hex()})"
    )
    if with_grad and tensor.is_leaf and tensor.grad is not None:
        text += " grad " + tensor_text(tensor.grad, False)
    return text


def describe(value, indent=""):
    if isinstance(value, torch.Tensor):
        return [indent + tensor_text(value)]
    if isinstance(value, (bool, int, float, complex)):
        return [indent + number_text(value)]
    if isinstance(value, str):
        return [indent + "str:" + value]
    if isinstance(value, torch.Size):
        return [indent + "Size" + str(list(value))]
    if isinstance(value, (list, tuple)):
        lines = [indent + type(value).__mro__[0].__name__.replace("return_types", "tuple")]
        if isinstance(value, tuple):
            lines = [indent + "tuple"]
        for item in value:
            lines += describe(item, indent + "  ")
        return lines
    if isinstance(value, range):
        return describe(list(value), indent)
    if isinstance(value, dict):
        lines = [indent + "dict"]
        for key, item in value.items():
            lines += [indent + "  " + key + ":"] + describe(item, indent + "    ")
        return lines
    if isinstance(value, torch.nn.Module):
        lines = [f"{indent}module {type(value).__name__} {value.training}"]
        groups = (value._parameters, value._buffers, value._modules)
        for kind, group in zip(("parameter", "buffer", "module"), groups):
            for name, item in group.items():
                lines += [f"{indent}  {kind} {name}"] + describe(item, indent + "    ")
        return lines
    return [indent + str(value)]


def raised(error):
    lines = str(error).splitlines()
    first = re.sub(r" from '[^']*/torch/[^']*'", "", lines[0]) if lines else ""  # where PyTorch is
    return f"raises {type(error).__name__}: {first}"


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_in(item)]
    if isinstance(value, dict):
        return [tensor for item in value.values() for tensor in tensors_in(item)]
    return []


def backward(outputs):
    roots = []
    for output in tensors_in(outputs):
        if output.requires_grad and output.grad_fn is not None:
            roots.append(output)
    if roots:
        torch.autograd.backward(roots, [torch.ones_like(root) for root in roots])


def run(text):
    lines = []
    names = {"torch": torch, "print": lambda *values: None}
    if "torch._dynamo" in sys.modules:
        torch._dynamo.reset()  # what it has compiled of earlier cases' control flow counts towards its limit
    exec(compile(text, "case", "exec"), names)
    torch.manual_seed(0)
    arguments, watched = names["inputs"](7, "grid")
    outputs = None
    try:
        outputs = names["program"](*arguments)
        lines += ["returns"] + describe(outputs, "  ")
    except Exception as error:
        lines += [raised(error)]
    lines += [f"grad mode {torch.is_grad_enabled()}", f"draw {torch.randint(0, 1 << 30, (1,)).item()}"]
    torch.set_grad_enabled(True)
    try:
        backward(outputs)
    except Exception as error:
        lines += ["backward " + raised(error)]
    for title, values in (("arguments", arguments), ("watched", watched)):
        lines += [title]
        for value in values:
            lines += describe(value, "  ")
    return lines


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    text = open(sys.argv[1]).read()
    for case in text.split("#### CASE ")[1:]:
        name, body = case.split("\n", 1)
        print("#### CASE " + name)
        print("\n".join(run(body)))


if __name__ == "__main__":
    main()
