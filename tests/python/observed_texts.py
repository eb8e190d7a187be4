"""What of a value, a tensor or the process's state stands in an observation: the texts that `touchstone-test-tool observe` writes
(`harness/commands/ObserveCommand.cpp`), made with nothing but PyTorch."""

import collections
import ctypes
import math
import struct
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


def first_line(text):
    return text.split("\n", 1)[0]


REGISTERED = weakref.WeakKeyDictionary()  # names of each module's fields in the order in which they were registered


def note_registration(module, name, value):
    names = REGISTERED.setdefault(module, {})
    for group in (module._parameters, module._buffers, module._modules):
        for earlier in group:  # a None is registered without a word
            names.setdefault(earlier)
    names.setdefault(name)


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


OWN_READINGS = "dtype sizes strides offset conj neg inference bumped storage requires_grad leaf grad_fn".split()


def value_text(value):
    return str(int(value)) if isinstance(value, bool) else str(list(value)) if isinstance(value, tuple) else str(value)


def read_tensor(tensor, fields):
    """`fields`: their names, in the order of the text, and the expression that the `__main__` part has for each. Those that are not read
    here are read by it."""
    seen = collections.OrderedDict.fromkeys(fields, 0)
    strided = tensor.layout == torch.strided
    seen["dtype"] = DTYPES.get(tensor.dtype, str(tensor.dtype))
    seen["sizes"] = list(tensor.shape)
    seen["strides"] = list(tensor.stride()) if strided else []
    seen["offset"] = tensor.storage_offset() if strided else 0
    seen["conj"], seen["neg"] = int(tensor.is_conj()), int(tensor.is_neg())
    seen["inference"] = int(tensor.is_inference())
    seen["storage"] = tensor.untyped_storage().nbytes() if strided else 0
    seen["leaf"] = 1
    for name, expression in fields.items():
        if name not in OWN_READINGS:
            seen[name] = value_text(eval(expression, {"torch": torch, "t": tensor}))
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
    """The default generator's state, mixed as `oracles/observe/CallModes.cpp` mixes it."""
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
