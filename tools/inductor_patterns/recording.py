"""Cases from the functions that Inductor traces its attention patterns from.

Such a function is run on its own example inputs, and each call that it makes of PyTorch becomes a statement of the Case. A Case has calls
with gradients and calls without, which are compiled apart: the pattern is registered once as a joint graph of forward and backward, and
once as a forward graph.
"""

import inspect

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree

OPERATORS = {"__matmul__": "@", "__truediv__": "/", "__add__": "+", "__eq__": "=="}
LARGE = 65536  # elements


class Recorder(TorchFunctionMode):
    """Writes down what is called, with the names of tensors that were named or computed before."""

    def __init__(self, names):
        super().__init__()
        self.names, self.lines = names, []  # names: id of a tensor -> its name
        self.kept = []  # so that no id is used again

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = function(*args, **kwargs)
        if not isinstance(result, torch.Tensor):
            return result  # a size, a dtype: stands in the Case as a number
        text = self.call(function, args, {key: value for key, value in kwargs.items() if key != "device"})
        self.names[id(result)] = f"y{len(self.lines)}"
        self.lines.append(f"{self.names[id(result)]} = {text}")
        self.kept.append(result)
        return result

    def call(self, function, args, kwargs):
        words = [self.spelled(arg) for arg in args]
        name = function.__name__
        if isinstance(function, torch._ops.OpOverload):
            name = f"torch.ops.{function}"
        elif not hasattr(function, "__objclass__"):
            functional = inspect.isfunction(function) and hasattr(torch.nn.functional, name)
            name = f"{'torch.nn.functional' if functional else 'torch'}.{name}"
        elif name.startswith("__"):
            return f"{words[0]} {OPERATORS[name]} {words[1]}"
        else:
            name, words = f"{words[0]}.{name}", words[1:]
        return f"{name}({', '.join([*words, *(f'{key}={self.spelled(value)}' for key, value in kwargs.items())])})"

    def spelled(self, value):
        if isinstance(value, torch.Tensor):
            return self.names[id(value)]
        if isinstance(value, (tuple, list)):
            words = ", ".join(map(self.spelled, value))
            return f"[{words}]" if isinstance(value, list) else f"({words}{',' if len(value) == 1 else ''})"
        return f'float("{value}")' if value in (float("inf"), float("-inf")) else repr(value)


def small(tensor):
    """`tensor`, of large ones the first eight along each dimension: sizes do not matter to a pattern."""
    return tensor[(slice(8),) * tensor.dim()].clone() if tensor.numel() > LARGE else tensor


def recorded(function, inputs, numbers):
    """Parameters that are tensors, statements, and names of results of `function`, called with `numbers` for its other parameters."""
    parameters = [name for name in inspect.signature(function).parameters if name not in numbers]
    given = dict(zip(parameters, inputs))
    tensors = {name: value for name, value in given.items() if value.dim()}
    scalars = {name: float(value) for name, value in given.items() if not value.dim()}
    recorder = Recorder({id(value): name for name, value in tensors.items()})
    with recorder:
        results = function(**tensors, **scalars, **numbers)
    return tensors, recorder.lines, [recorder.names[id(result)] for result in _pytree.tree_leaves(results)]


def made(name, tensor, number, grad):
    """The lines of `inputs` that make something of the sizes, strides and dtype of `tensor`: of a larger one where there are gaps."""
    order = sorted(range(tensor.dim()), key=lambda d: -tensor.stride(d))
    back = [order.index(d) for d in range(tensor.dim())]
    outer = [tensor.stride(order[p - 1]) // tensor.stride(order[p]) if p else tensor.shape[order[0]] for p in range(len(order))]
    line = f"    {name} = data({tuple(outer)}, {tensor.dtype}, (seed, {number}), kind)"
    line += "" if back == list(range(tensor.dim())) else f".permute({', '.join(map(str, back))})"
    gaps = [d for d in range(tensor.dim()) if outer[back[d]] != tensor.shape[d]]
    line += "".join(f"[{':, ' * d}:{tensor.shape[d]}]" for d in gaps)
    return line + (".detach().requires_grad_()" if grad and tensor.dtype.is_floating_point else "")


def case(note, tensors, lines, results, dropout, trained):
    """The text of a Case; what is random is only looked at for its metadata, by a product with zero."""
    training = [f"    dict(inputs=\"inputs\", seed={seed}, backward=[0])," for seed in (1, 2)]
    inference = [f"    dict(inputs=\"inputs\", seed={seed}, grad_mode=\"no_grad\")," for seed in (3, 4)]
    numbered = list(enumerate(tensors.items()))
    text = ["# touchstone: 1", f"# torch: {torch.__version__.partition('+')[0]}", f"# note: {note}", "import torch", "", ""]
    text += ["def inputs(seed, kind):"]
    text += [made(name, tensor, number, tensor.requires_grad) for number, (name, tensor) in numbered]
    text += [f"    return ({', '.join(tensors)},), ()", "", "", f"def program({', '.join(tensors)}):"]
    text += [f"    {line}" for line in lines]
    text += [f"    return {', '.join(f'{result} * 0' if dropout and i == 0 else result for i, result in enumerate(results))}", "", "", "CALLS = ["]
    text += training if dropout else (training if trained else []) + inference
    text += ["]"] + (["", "COMPILE = dict(options={\"fallback_random\": False})"] if dropout else [])
    return "\n".join(text) + "\n"


def attention_cases():
    """{file name: text}, for each function, dtype and batch size that the installed PyTorch registers."""
    from torch._inductor.fx_passes import fuse_attention
    from torch._inductor.pattern_matcher import joint_fwd_bwd

    groups = {}
    for name, options in fuse_attention._get_sfdp_patterns():
        groups.setdefault(name.lstrip("_").rpartition("_")[0], {})[name.rpartition("_")[2]] = options
    cases = {}
    for name, group in groups.items():
        options = group.get("training") or group["inference"]
        trained = options["trace_fn"] is joint_fwd_bwd
        function, numbers = options["search_fn"], dict(options["scalar_workaround"] or {})
        stem = "sfdp_pattern_{:0>2}".format(name.split("_")[2]) + "".join(f"_{part}" for part in name.split("_")[3:])
        dropout = "dropout_p" in numbers
        for drops in ({False, dropout and trained}):
            chosen = dict(numbers) | ({"dropout_p": 0.25 if drops else 0.0} if dropout else {})
            if "inv_scale" in chosen:
                chosen["inv_scale"] = 2.0
            if not trained:
                function = group["inference"]["search_fn"]
                chosen.pop("dropout_p", None)
            tensors, lines, results = recorded(function, map(small, options["example_inputs"]), chosen)
            if any("torch._" in line for line in lines):
                continue  # the Case language has no operators that are internal to PyTorch
            dtype = tensors["query"].dtype
            note = f"what Inductor looks for as {name}, in {dtype}"
            note += ", with dropout: of its random result only metadata is looked at" if drops else ""
            cases[stem + ("_dropout" if drops else "") + ".py"] = case(note, tensors, lines, results, drops, trained)
    return cases
