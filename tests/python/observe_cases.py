"""Executes printed case files with plain PyTorch and compares what is seen with what Touchstone's eager runner saw.

    observe_cases.py FOLDER
    observe_cases.py --touchstone BINARY --seed 1 --cases 600 [--start 0] [--keep FOLDER]
    observe_cases.py --touchstone BINARY --given corpus [--keep FOLDER]

FOLDER is what `touchstone observe` wrote: `case-INDEX.py` and `observations.jsonl`. All files are executed in this one
process. Every field is a text; a difference is printed with the file, the call and both texts; exit status 1. The
semantics of CALLS are those of `docs/case_file.md` and `oracles/CallRunner.h`, written a second time.
"""

import argparse
import collections
import ctypes
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import warnings
import weakref

import torch

DTYPES = {
    torch.bool: "Bool",
    torch.uint8: "Byte",
    torch.int8: "Char",
    torch.int16: "Short",
    torch.int32: "Int",
    torch.int64: "Long",
    torch.float16: "Half",
    torch.bfloat16: "BFloat16",
    torch.float32: "Float",
    torch.float64: "Double",
    torch.complex32: "ComplexHalf",
    torch.complex64: "ComplexFloat",
    torch.complex128: "ComplexDouble",
    torch.uint16: "UInt16",
    torch.uint32: "UInt32",
    torch.uint64: "UInt64",
}
WORD = (1 << 64) - 1
FIRST_TANGENT = 1000000


def first_line(text):
    return text.split("\n", 1)[0]


REGISTERED = weakref.WeakKeyDictionary()  # names of each module's fields in the order in which they were registered


def note_registration(module, name, value):
    REGISTERED.setdefault(module, {}).setdefault(name)


def watch_registrations():
    """A module keeps parameters, buffers and modules apart; a case file counts them in one order."""
    from torch.nn.modules import module

    module.register_module_parameter_registration_hook(note_registration)
    module.register_module_buffer_registration_hook(note_registration)
    module.register_module_module_registration_hook(note_registration)


def fields_of_module(module):
    groups = (module._parameters, module._buffers, module._modules)
    fields = {name: value for group in groups for name, value in group.items()}
    return [(name, fields[name]) for name in {**REGISTERED.get(module, {}), **fields} if name in fields]


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, torch.nn.Module):
        value = [item for _, item in fields_of_module(value)]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_in(item)]
    return []


def outline(value, leaf):
    """Containers as text, tensors and all else as `leaf` writes them; depth first."""
    if isinstance(value, torch.Size):
        return "Size(" + ", ".join(outline(item, leaf) for item in value) + ")"
    if isinstance(value, tuple):
        return "(" + ", ".join(outline(item, leaf) for item in value) + ")"
    if isinstance(value, list):
        return "[" + ", ".join(outline(item, leaf) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}": ' + outline(item, leaf) for key, item in value.items()) + "}"
    if isinstance(value, torch.nn.Module):
        items = ", ".join(f"{name}=" + outline(item, leaf) for name, item in fields_of_module(value))
        return type(value).__name__ + ("(" if value.training else "(eval, ") + items + ")"
    return leaf(value)


def float_literal(number):
    """The shortest text that reads back, fixed or with an exponent, whichever is shorter."""
    if not math.isfinite(number):
        return repr(number)
    sign = "-" if math.copysign(1, number) < 0 else ""
    mantissa, exponent = f"{abs(number):.17e}".split("e")
    for digits in range(17):
        mantissa, exponent = f"{abs(number):.{digits}e}".split("e")
        if float(f"{mantissa}e{exponent}") == abs(number):
            break
    scientific = f"{mantissa}e{exponent}"
    fixed = f"{abs(number):.{max(0, digits - int(exponent))}f}"
    return sign + (fixed if len(fixed) <= len(scientific) else scientific)


def type_name(value):
    if isinstance(value, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
        return "torch." + type(value).__name__
    return type(value).__name__


def argument_outline(args):
    if not any(isinstance(value, (list, tuple, dict, torch.nn.Module)) for value in args):
        return ""
    objects = []

    def leaf(value):
        if isinstance(value, torch.Tensor):
            if not any(value is known for known in objects):
                objects.append(value)
            return "T" + str([value is known for known in objects].index(True))
        if isinstance(value, float):
            return float_literal(value)
        if isinstance(value, str):
            return f'"{value}"'
        return str(value) if value is None or isinstance(value, int) else type_name(value)

    return "(" + ", ".join(outline(value, leaf) for value in args) + ")"


def double_text(number):
    return "7ff8000000000000" if math.isnan(number) else struct.pack(">d", number).hex()


def non_tensor_text(value):
    name = type_name(value)
    if isinstance(value, int):
        return f"{name} {int(value)}"
    if isinstance(value, float):
        return name + " " + double_text(value)
    if isinstance(value, complex):
        return name + " " + double_text(value.real) + " " + double_text(value.imag)
    if isinstance(value, str):
        return name + " " + value
    if isinstance(value, torch.dtype):
        return name + " " + DTYPES[value]
    return name


def bytes_text(values):
    """The elements of a contiguous tensor, each NaN with the same bits."""
    if values.numel() == 0:
        return ""
    real = torch.view_as_real(values) if values.is_complex() else values
    if real.dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        real = real.masked_fill(real.isnan(), math.nan)
    return ctypes.string_at(real.data_ptr(), real.numel() * real.itemsize).hex()


@torch.no_grad()
def values_text(tensor):
    values = tensor.data
    if values.layout != torch.strided:
        values = values.to_dense()
    return bytes_text(values.resolve_conj().resolve_neg().clone(memory_format=torch.contiguous_format))


@torch.no_grad()
def storage_text(tensor):
    """All whole elements of the tensor's storage, in the tensor's type."""
    storage = tensor.untyped_storage()
    count = storage.nbytes() // tensor.itemsize
    if count == 0:
        return ""
    values = torch.empty(count, dtype=tensor.dtype)
    ctypes.memmove(values.data_ptr(), storage.data_ptr(), count * tensor.itemsize)
    return bytes_text(values)


def read_tensor(tensor):
    seen = collections.OrderedDict.fromkeys(
        "dtype sizes strides offset conj neg inference bumped storage requires_grad leaf grad_fn".split(), 0
    )
    strided = tensor.layout == torch.strided
    seen["dtype"] = DTYPES.get(tensor.dtype, str(tensor.dtype))
    seen["sizes"] = list(tensor.shape)
    seen["strides"] = list(tensor.stride()) if strided else []
    seen["offset"] = tensor.storage_offset() if strided else 0
    seen["conj"], seen["neg"] = int(tensor.is_conj()), int(tensor.is_neg())
    seen["inference"] = int(tensor.is_inference())
    seen["storage"] = tensor.untyped_storage().nbytes() if strided else 0
    seen["leaf"] = 1
    seen["autograd error"] = ""
    try:
        seen["values"] = values_text(tensor)
    except Exception as error:
        seen["values"] = "error " + first_line(f"{type(error).__name__}: {error}")
    return seen


def read_autograd(tensor, seen):
    try:
        seen["grad_fn"] = int(tensor.grad_fn is not None)
        seen["requires_grad"] = int(tensor.requires_grad)
        seen["leaf"] = int(tensor.is_leaf)
    except Exception as error:
        seen["autograd error"] = first_line(f"{type(error).__name__}: {error}")


def tensor_text(seen):
    return "; ".join(f"{name} {text}" for name, text in seen.items())


def generator_hash():
    """The default generator's state, mixed as `oracles/CallModes.cpp` mixes it."""
    state = bytes(torch.get_rng_state().numpy())
    seed, left, _, following = struct.unpack_from("<QiiQ", state, 0)
    words = struct.unpack_from("<624Q", state, 24)
    _, double_sample, _, double_valid = struct.unpack_from("<dddi", state, 5016)
    float_sample, float_valid = struct.unpack_from("<I?", state, 5048)

    def mixed(value, word):
        value = ((value ^ word) * 0x9E3779B97F4A7C15) & WORD
        return value ^ (value >> 32)

    result = mixed(seed, (left << 32) | following)
    for i in range(0, 624, 2):
        result = mixed(result, (words[i] << 32) | words[i + 1])
    if float_valid:
        result = mixed(result, float_sample)
    if double_valid:
        result = mixed(result, struct.unpack("<Q", struct.pack("<d", double_sample))[0])
    return result


def state_text():
    flag = {True: "on", False: "off"}
    return (
        f"generator {generator_hash():016x}, grad {flag[torch.is_grad_enabled()]}, "
        f"inference {flag[torch.is_inference_mode_enabled()]}, autocast {flag[torch.is_autocast_enabled('cpu')]} "
        f"{DTYPES[torch.get_autocast_dtype('cpu')]}, default {DTYPES[torch.get_default_dtype()]}"
    )


def element_range(tensor):
    first = tensor.storage_offset()
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    end = first + last + 1 if tensor.numel() else first
    return first * tensor.itemsize, end * tensor.itemsize


@torch.no_grad()
def element_bytes(tensor):
    """Addresses of all bytes that belong to an element."""
    length = (element_range(tensor)[1] - element_range(tensor)[0]) // tensor.itemsize
    elements = torch.arange(length).as_strided(tensor.shape, tensor.stride()).reshape(-1).unique().tolist()
    start = tensor.data_ptr()
    return {start + element * tensor.itemsize + byte for element in elements for byte in range(tensor.itemsize)}


def covers(tensor):
    expected, dense = 1, True
    for stride, size in sorted((stride, size) for stride, size in zip(tensor.stride(), tensor.shape) if size != 1):
        dense = dense and stride == expected
        expected *= size
    dense = dense or tensor.is_contiguous()
    return dense and tensor.numel() * tensor.itemsize == tensor.untyped_storage().nbytes()


class Partition:
    def __init__(self):
        self.objects, self.storages = [], []  # storages: [identity, first user, covered]

    def add(self, tensor):
        strided = tensor.layout == torch.strided
        if not any(tensor is known for known in self.objects):
            self.objects.append(tensor)
        number = [tensor is known for known in self.objects].index(True)
        identity = tensor.untyped_storage()._cdata if strided else ("object", number)
        first, end = element_range(tensor) if strided else (0, 0)
        covered = not strided or covers(tensor)
        for index, storage in enumerate(self.storages):
            if storage[0] == identity:
                storage[2] = storage[2] or covered
                break
        else:
            index = len(self.storages)
            self.storages.append([identity, tensor, covered])
        return f"{index} [{first}, {end}) object {number}"


def effects_of(named):
    """Who changes when each is written to: those that have a byte in common with it."""
    objects = []
    for _, tensor in named:
        if not any(tensor is known for known in objects):
            objects.append(tensor)
    ranges = []
    for tensor in objects:
        strided = tensor.layout == torch.strided and tensor.numel() > 0 and not tensor._is_zerotensor()
        start = tensor.data_ptr() if strided else 0
        ranges.append((start, start + element_range(tensor)[1] - element_range(tensor)[0] if strided else 0))
    taken = {}
    changed = collections.defaultdict(set)
    for i, (first, end) in enumerate(ranges):
        for j, (other_first, other_end) in enumerate(ranges):
            if i != j and first < other_end and other_first < end:
                for k in (i, j):
                    if k not in taken:
                        taken[k] = element_bytes(objects[k])
                if taken[i] & taken[j]:
                    changed[i].add(j)
    number = [[tensor is known for known in objects].index(True) for _, tensor in named]
    effects = {}
    for position, (name, _) in enumerate(named):
        own = number[position]
        same = ranges[own][0] != ranges[own][1]
        others = [
            other
            for place, (other, _) in enumerate(named)
            if number[place] in changed[own] or (same and number[place] == own and place != position)
        ]
        if others:
            effects["writing to " + name] = ", ".join(others)
    return effects


def check_leaves(tensors, leaves):
    pending = [tensor.grad_fn for tensor in tensors if tensor.grad_fn is not None]
    known = set(pending)
    while pending:
        node = pending.pop()
        variable = getattr(node, "variable", None) if type(node).__name__ == "AccumulateGrad" else None
        if variable is not None and not any(variable is leaf for leaf in leaves):
            raise ValueError(
                "An argument depends on a leaf that requires grad and is neither an argument nor watched; "
                "return it as watched."
            )
        for following, _ in node.next_functions:
            if following is not None and following not in known:
                known.add(following)
                pending.append(following)


def pick(tensors, index, what):
    if not 0 <= index < len(tensors):
        raise IndexError(
            f"There is no {what} {index} to go backward from or to: there are {len(tensors)}."
        )
    return tensors[index]


class Call:
    """One entry of CALLS: its tensors, and what was seen."""

    def __init__(self, spec):
        self.spec, self.seen = spec, {}
        self.args, self.watched_values = (), ()
        self.arguments, self.watched, self.outputs, self.leaves = [], [], [], []

    def get(self, key, default=None):
        return self.spec.get(key, default)

    def raised(self, stage, error, name="exception"):
        self.seen[name] = f"{stage}: {type(error).__name__}: {first_line(str(error))}"

    def failed(self):
        return "exception" in self.seen or "backward exception" in self.seen

    def named(self):
        groups = (("output", self.outputs), ("arg", self.arguments), ("watched", self.watched))
        return [(f"{role} {i}", tensor) for role, tensors in groups for i, tensor in enumerate(tensors)]


class CaseRun:
    def __init__(self, text, file):
        self.names = {"__name__": "case", "torch": torch}
        exec(compile(text, file, "exec"), self.names)
        self.calls = [Call(spec) for spec in self.names["CALLS"]]

    def run(self):
        backward_at = list(range(len(self.calls)))
        for i, call in enumerate(self.calls):
            earlier = call.get("backward_after")
            if earlier is not None and backward_at[earlier] == earlier:
                backward_at[earlier] = i
        for i, call in enumerate(self.calls):
            torch.manual_seed(call.get("rng_seed", 0))
            self.make_inputs(i)
            if "exception" not in call.seen:
                result = self.forward(call)
                self.observe(call, result)
                if "exception" not in call.seen and call.get("between") is not None:
                    self.between(call)
            for other, at in zip(self.calls, backward_at):
                if at == i and other.get("backward") is not None and not other.failed():
                    self.backward(other)
        for call in self.calls:
            for i, tensor in enumerate(call.outputs):
                try:
                    call.seen[f"output {i} looked at again"] = values_text(tensor)
                except Exception:
                    call.seen[f"output {i} looked at again"] = "error"
        for call in self.calls:
            call.seen.update(effects_of(call.named()))
        for call in self.calls:
            if call.get("create_graph"):
                for leaf in call.leaves:
                    leaf.grad = None
        return [call.seen for call in self.calls]

    def make_inputs(self, index):
        call = self.calls[index]
        try:
            if call.get("inputs") is not None:
                made = self.names[call.get("inputs")](call.get("seed", 0), call.get("kind", "grid"))
                call.args, call.watched_values = made
            else:
                before = self.calls[index - 1] if index else None
                if before is None or before.seen.get("exception", "").startswith("inputs:"):
                    raise RuntimeError("There are no inputs of a previous call to use again.")
                call.args, call.watched_values = before.args, before.watched_values
            call.arguments = tensors_in(tuple(call.args))
            call.watched = tensors_in(tuple(call.watched_values))
            for tensor in call.arguments + call.watched:
                known = any(tensor is leaf for leaf in call.leaves)
                if tensor.requires_grad and tensor.is_leaf and not known:
                    call.leaves.append(tensor)
            check_leaves(call.arguments + call.watched, call.leaves)
        except Exception as error:
            call.arguments, call.watched, call.leaves = [], [], []
            call.args, call.watched_values = (), ()
            call.seen.update({"structure": "", "argument structure": "", "state": ""})
            call.raised("inputs", error)

    def forward(self, call):
        torch.manual_seed(call.get("rng_seed", 0))
        modes = {"enable": torch.enable_grad, "no_grad": torch.no_grad, "inference": torch.inference_mode}
        autocast = call.get("autocast")
        default_dtype = torch.get_default_dtype()
        call.versions = [(tensor, self.version(tensor)) for tensor in call.arguments + call.watched]
        result = None
        try:
            with modes[call.get("grad_mode", "enable")](), torch.autocast(
                "cpu", autocast or torch.bfloat16, enabled=autocast is not None
            ):
                try:
                    result = self.names["program"](*call.args)
                except Exception as error:
                    call.raised("forward", error)
                call.seen["state"] = state_text()
        finally:
            torch.set_default_dtype(default_dtype)
        return result

    @staticmethod
    def version(tensor):
        return -1 if tensor.is_inference() else tensor._version

    def observe(self, call, result):
        call.seen["structure"] = ""
        if "exception" not in call.seen:
            non_tensors = []

            def leaf(value):
                if isinstance(value, torch.Tensor):
                    call.outputs.append(value)
                    return "T"
                non_tensors.append(value)
                return "_"

            call.seen["structure"] = outline(result, leaf)
            for i, value in enumerate(non_tensors):
                call.seen[f"non-tensor {i}"] = non_tensor_text(value)
        call.seen["argument structure"] = argument_outline(call.args)
        for tensor in tensors_in(tuple(call.args)):
            if not any(tensor is known for known in call.arguments):
                call.arguments.append(tensor)
        partition, read = Partition(), []
        for role, tensors in (("arg", call.arguments), ("watched", call.watched), ("output", call.outputs)):
            if role == "output":
                for i, (_, user, covered) in enumerate(partition.storages):
                    if not covered:
                        call.seen[f"input storage {i}"] = storage_text(user)
            for i, tensor in enumerate(tensors):
                seen = read_tensor(tensor)
                before = [version for known, version in call.versions if known is tensor]
                seen["bumped"] = int(bool(before) and before[0] != self.version(tensor))
                call.seen[f"{role} {i} in storage"] = partition.add(tensor)
                read.append((f"{role} {i}", tensor, seen))
        for name, tensor, seen in read:
            read_autograd(tensor, seen)
            values = seen.pop("values")
            call.seen[name] = tensor_text({**seen, "values": values})

    def between(self, call):
        try:
            with torch.no_grad():
                self.names[call.get("between")](tuple(call.args), list(call.outputs))
        except Exception as error:
            call.raised("between", error, "backward exception")

    @torch.no_grad()
    def tangent(self, call, number, root):
        seed = (call.get("tangent_seed", 0), FIRST_TANGENT + number)
        values = self.names["data"](tuple(root.shape), root.dtype, seed, "grid")
        layout = call.get("tangent_layout", "like")
        if layout == "like" and not root.is_contiguous():
            return torch.empty_like(root.data, dtype=values.dtype).copy_(values)
        if layout == "transposed":
            order = list(reversed(range(root.dim())))
            return values.permute(order).contiguous().permute(order)
        if layout == "expanded" and root.dim() > 0 and root.shape[0] > 0:
            return values[:1].expand(root.shape)
        if layout == "gapped" and root.dim() > 0:
            wide = torch.zeros(*root.shape[:-1], 2 * root.shape[-1], dtype=values.dtype)
            return wide[..., ::2].copy_(values)
        return values

    def backward(self, call):
        gradients = []
        via_grad = call.get("via", "backward") == "grad"
        try:
            roots = [
                pick(call.arguments, int(root[4:]), "arg") if isinstance(root, str) else pick(call.outputs, root, "output")
                for root in call.get("backward")
            ]
            wrt = call.get("wrt")
            numbers = list(range(len(call.leaves))) if wrt is None else list(wrt)
            leaves = [pick(call.leaves, number, "leaf") for number in numbers]
            times, create = call.get("backward_times", 1), call.get("create_graph", False)
            for time in range(times):
                tangents = None
                if call.get("tangent_layout", "like") != "none":
                    tangents = [self.tangent(call, i, root) for i, root in enumerate(roots)]
                keep = {"retain_graph": create or time + 1 < times, "create_graph": create}
                if via_grad:
                    found = torch.autograd.grad(roots, leaves, tangents, allow_unused=True, **keep)
                    gradients += [(number, self.gradient(value)) for number, value in zip(numbers, found)]
                else:
                    torch.autograd.backward(roots, tangents, inputs=leaves if wrt else None, **keep)
        except Exception as error:
            call.raised("backward", error, "backward exception")
            gradients = []
        if not via_grad:
            gradients = [(i, self.gradient(leaf.grad)) for i, leaf in enumerate(call.leaves)]
        for i, (number, text) in enumerate(gradients):
            call.seen[f"gradient {i} of leaf {number}"] = text

    @staticmethod
    def gradient(tensor):
        if tensor is None:
            return "None"
        seen = read_tensor(tensor)
        read_autograd(tensor, seen)
        values = seen.pop("values")
        return tensor_text({**seen, "values": values})


def differences(expected, found):
    """(field, expected, found) of each call; of a tensor only the parts that differ."""
    for number, (ours, plain) in enumerate(zip(expected, found)):
        for name in dict.fromkeys([*ours, *plain]):
            left, right = ours.get(name, "(none)"), plain.get(name, "(none)")
            if left == right:
                continue
            parts = list(zip(left.split("; "), right.split("; ")))
            if len(parts) > 5 and left.count("; ") == right.count("; "):
                left, right = ("; ".join(side) for side in zip(*(part for part in parts if part[0] != part[1])))
            yield f"call {number} {name}", left, right
    if len(expected) != len(found):
        yield "number of calls", str(len(expected)), str(len(found))


def compare_folder(folder, wanted, maximum):
    """Number of Cases that were executed, names of those that differ."""
    executed, calls, fields, differing = 0, 0, 0, []
    with open(folder / "observations.jsonl") as lines:
        for line in lines:
            entry = json.loads(line)
            file = entry["file"]
            if wanted and file not in wanted:
                continue
            found = CaseRun((folder / file).read_text(), file).run()
            executed, calls, fields = executed + 1, calls + len(found), fields + sum(map(len, found))
            listed = list(differences(entry["calls"], found))
            if listed:
                differing.append(file)
                if len(differing) <= maximum:
                    for name, ours, plain in listed[:8]:
                        print(f"{file}: {name}\n  touchstone: {ours}\n  plain:      {plain}", flush=True)
    print(f"{executed} files executed in one process, {calls} calls, {fields} fields compared, {len(differing)} differ")
    if differing:
        print("differing: " + " ".join(differing))
    return executed, differing


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--touchstone", help="binary that writes the folder first")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--start", default="0")
    parser.add_argument("--cases", default="600")
    parser.add_argument("--given", nargs="+", default=[], help="case files, or folders of them, in place of generated ones")
    parser.add_argument("--keep", type=pathlib.Path, help="folder to write to; default: a temporary one")
    parser.add_argument("--only", nargs="*", help="names of files")
    parser.add_argument("--show", type=int, default=20, help="differing files that are shown in full")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    watch_registrations()
    if not options.touchstone:
        if not options.folder:
            parser.error("name a folder, or a binary with --touchstone")
        executed, differing = compare_folder(options.folder, options.only, options.show)
        return 1 if differing or not executed else 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        chosen = options.given or ["--seed", options.seed, "--start", options.start, "--cases", options.cases]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        status = subprocess.run([options.touchstone, "observe", *chosen, "--out", str(folder)], env=environment).returncode
        if status != 0:
            print(f"`touchstone observe` ended with status {status}.")
        executed, differing = compare_folder(folder, options.only, options.show)
        expected = len(list(folder.glob("*.py"))) if options.given else int(options.cases)
        complete = bool(options.only) or executed == expected > 0
        if not complete:
            print(f"{expected - executed} Cases have no observation.")
        return 0 if status == 0 and complete and not differing else 1


if __name__ == "__main__":
    sys.exit(main())
