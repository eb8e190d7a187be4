"""Values as Python source: tensors with their storages, numbers, containers; other objects as pickled text."""

import base64
import io
import pickle
import zlib

import torch

from touchstone.copies import why_not_copied

_READABLE = 64  # elements of a storage that are written as numbers
_INLINE = 1 << 18  # bytes of a storage that are written into the file where there is a file for data beside it


class Literals:
    """Writes values as expressions; `lines` are the statements that must run first. Tensors that share a storage go on
    sharing it. data: a pathlib.Path for large storages, or None to write all into the text."""

    def __init__(self, data=None):
        self.lines = []
        self._data, self._saved = data, []
        self._storages, self._tensors = {}, {}
        self._kept = []

    def imports(self):
        """The import statements that the expressions need."""
        return "import base64\nimport functools\nimport io\nimport math\nimport pathlib\nimport sys\nimport types\nimport zlib\n\nimport torch\nfrom math import inf, nan\n"

    def save(self):
        """Writes the large storages to the file for data."""
        if self._saved:
            torch.save(self._saved, self._data)

    def write(self, value, sources=None):
        """An expression that gives the value. Raises ValueError where there is none."""
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if type(value) in (int, float, bool, str, bytes, type(None), complex, torch.dtype, torch.memory_format, torch.layout):
            return repr(value)
        if isinstance(value, torch.device):
            return f"torch.{value!r}"
        if type(value) is torch.Size:
            return f"torch.Size({list(value)})"
        if type(value) is tuple:
            return "(" + "".join(f"{self.write(each, sources)}, " for each in value).rstrip(" ") + ")"
        if type(value) is list:
            return "[" + ", ".join(self.write(each, sources) for each in value) + "]"
        if type(value) is dict:
            return "{" + ", ".join(f"{self.write(key, sources)}: {self.write(each, sources)}" for key, each in value.items()) + "}"
        return self._pickled(value, sources)

    def _pickled(self, value, sources):
        if sources is not None:
            sources.add_classes_of(value)
        buffer = io.BytesIO()
        try:
            torch.save(value, buffer)
        except (pickle.PicklingError, AttributeError, TypeError, RuntimeError) as error:
            raise ValueError(f"A {type(value).__name__} cannot be written: {error}") from error
        return f"torch.load(io.BytesIO({_compressed(buffer.getvalue())}), weights_only=False)"

    def _tensor(self, tensor):
        if id(tensor) in self._tensors:
            return self._tensors[id(tensor)]
        reason = why_not_copied(tensor)
        if reason:
            raise ValueError(f"A tensor {reason} cannot be written.")
        storage = self._storage(tensor)
        name = f"t{len(self._tensors)}"
        view = f".view({tensor.dtype})" if self._storages[tensor.untyped_storage()._cdata][1] != tensor.dtype else ""
        text = f"torch.as_strided({storage}{view}, {tuple(tensor.shape)}, {tensor.stride()}, {tensor.storage_offset()})"
        text = f"{text}.detach()" if tensor.requires_grad and not tensor.is_leaf else text
        text = f"{text}.conj()" if tensor.is_conj() else text
        text = f"torch._neg_view({text})" if tensor.is_neg() else text
        if type(tensor) is torch.nn.Parameter:
            text = f"torch.nn.Parameter({text}, requires_grad={tensor.requires_grad})"
        elif tensor.requires_grad and tensor.is_leaf:
            text = f"{text}.detach().requires_grad_()"
        self.lines.append(f"{name} = {text}")
        if tensor.requires_grad and not tensor.is_leaf:
            self.lines.append(f"{name}.copy_({name}.clone().requires_grad_())  # has a history")
        self._tensors[id(tensor)] = name
        self._kept.append(tensor)
        return name

    def _storage(self, tensor):
        storage = tensor.untyped_storage()
        if storage._cdata not in self._storages:
            name = f"s{len(self._storages)}"
            self._storages[storage._cdata] = name, tensor.dtype
            flat = torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(storage)
            self.lines.append(f"{name} = {self._flat(flat)}")
        return self._storages[storage._cdata][0]

    def _flat(self, flat):
        device = "" if flat.device.type == "cpu" else f", device={str(flat.device)!r}"
        if flat.numel() <= _READABLE and not (flat.is_floating_point() and flat.element_size() == 1):
            return f"torch.tensor({flat.tolist()}, dtype={flat.dtype}{device})"
        raw = flat.cpu().view(torch.uint8)
        if self._data is not None and raw.numel() > _INLINE:
            self._saved.append(raw)
            read = f"torch.load(pathlib.Path(__file__).parent / {self._data.name!r})[{len(self._saved) - 1}]"
        else:
            read = f"torch.frombuffer(bytearray({_compressed(bytes(raw.tolist()))}), dtype=torch.uint8)"
        return f"{read}.view({flat.dtype}){f'.to({str(flat.device)!r})' if device else ''}"


def _compressed(data):
    return f'zlib.decompress(base64.b64decode("{base64.b64encode(zlib.compress(data, 9)).decode()}"))'
