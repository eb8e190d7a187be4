"""Copies of programs and arguments that keep what a program can see: aliasing, layout, identity and autograd state."""

import contextlib
import copy
import dis
import functools
import types

import torch

_KEY = "touchstone.copier"
_PLAIN = (torch.Tensor, torch.nn.Parameter)
_FOLLOWED = (torch.Tensor, torch.nn.Module, list, dict, set, tuple, types.MethodType, types.FunctionType, functools.partial)


class CannotCopy(Exception):
    """A value of which no faithful copy can be made; the text says which and why."""


class Copier:
    """Copies values so that all copies of one copier alias each other as the originals do.

    Each storage is copied once, whole, and its tensors are made again with their sizes, strides and offsets; views stay views
    of their base. The same object gives the same object. Dense strided tensors of any dtype and device are copied, leaves
    as leaves; a tensor with a history becomes the result of a copy from a new leaf (`source`), so that gradients reach that
    leaf. Modules, containers, methods, closures and other objects are copied by `copy.deepcopy`.

    change: "" copies as is; "double" gives floating-point tensors double precision; "reverse" gives each floating-point
    storage the same values in reversed order, so that a second call sees others.
    """

    def __init__(self, change=""):
        self.pairs = []  # (original, copy), in the order of discovery
        self._change = change
        self._memo = {_KEY: self}
        self._storages = {}
        self._sources = {}

    def copy(self, value):
        """A copy of `value`. Raises CannotCopy."""
        with _deepcopy_asks_copiers():
            try:
                return copy.deepcopy(value, self._memo)
            except CannotCopy:
                raise
            except Exception as error:
                raise CannotCopy(f"a {type(value).__name__} cannot be copied: {type(error).__name__}: {first_line(error)}") from error

    def copy_program(self, program):
        """A copy of a callable; of a function also of the tensors, modules and containers that it reads as globals."""
        copied = self.copy(program)
        if not isinstance(copied, types.FunctionType):
            return copied
        read = {name: copied.__globals__[name] for name in names_of(copied.__code__) if name in copied.__globals__}
        mutable = {name: each for name, each in read.items() if isinstance(each, (torch.Tensor, torch.nn.Module, list, dict, set))}
        if not mutable or (copied.__module__ or "").split(".")[0] == "torch":
            return copied
        return _function_with(copied, {**copied.__globals__, **self.copy(mutable)}, copied.__closure__)

    def source(self, tensor):
        """The leaf that collects the gradient of a copy: the copy itself where it is a leaf, None where there is none."""
        return tensor if tensor.is_leaf else self._sources.get(id(tensor))

    def _tensor(self, tensor):
        known = self._memo.get(id(tensor))
        if known is not None:
            return known
        reason = why_not_copied(tensor)
        if reason:
            raise CannotCopy(f"a tensor {reason} cannot be copied")
        copied = self._made_again(tensor)
        if type(tensor) is torch.nn.Parameter:
            copied = torch.nn.Parameter(copied.detach(), requires_grad=tensor.requires_grad)
        self._memo[id(tensor)] = copied
        self.pairs.append((tensor, copied))  # keeps the original, so that its id stays its own
        if tensor.is_leaf and tensor.grad is not None:
            copied.grad = self._tensor(tensor.grad)
        for name, each in tensor.__dict__.items():
            setattr(copied, name, copy.deepcopy(each, self._memo))
        return copied

    def _made_again(self, tensor):
        base = tensor._base
        if base is not None and base.dtype == tensor.dtype and tensor.is_conj() == base.is_conj() and tensor.is_neg() == base.is_neg():
            return self._view(tensor, self._tensor(base))
        storage, dtype = self._storage(tensor)
        copied = torch.empty(0, dtype=dtype, device=tensor.device)
        copied.set_(storage, tensor.storage_offset(), tensor.size(), tensor.stride())
        copied = copied.conj() if tensor.is_conj() else copied
        copied = torch._neg_view(copied) if tensor.is_neg() else copied
        if tensor.requires_grad and tensor.is_leaf:
            return copied.requires_grad_()
        return self._with_history(copied) if tensor.requires_grad else copied

    def _view(self, tensor, base):
        place = (tensor.size(), tensor.stride(), tensor.storage_offset())
        if tensor.requires_grad and not tensor.is_leaf and base.requires_grad:
            with torch.enable_grad():
                return base.as_strided(*place)
        copied = (base.detach() if base.requires_grad else base).as_strided(*place)
        if tensor.requires_grad and tensor.is_leaf:
            return copied.requires_grad_()
        return self._with_history(copied) if tensor.requires_grad else copied

    def _with_history(self, copied):
        with torch.enable_grad():
            source = copied.detach().clone().requires_grad_()
            copied.copy_(source)
        self._sources[id(copied)] = source
        return copied

    def _storage(self, tensor):
        storage = tensor.untyped_storage()
        known = self._storages.get(storage._cdata)
        changes = self._change and (tensor.is_floating_point() or tensor.is_complex())
        if known is None:
            copied, dtype = (self._changed(storage, tensor) if changes else (storage.clone(), tensor.dtype))
            known = self._storages[storage._cdata] = (copied, tensor.dtype, dtype, storage)
        copied, original_dtype, dtype, _ = known
        if dtype != original_dtype and tensor.dtype != original_dtype:
            raise CannotCopy("two dtypes in one storage cannot both be made double")
        return copied, dtype if tensor.dtype == original_dtype else tensor.dtype

    def _changed(self, storage, tensor):
        flat = torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(storage)
        if self._change == "double":
            flat = flat.to(torch.complex128 if tensor.is_complex() else torch.float64, copy=True)
        elif tensor.element_size() > 1:
            reverse = flat.flip(0)
            flat = reverse if not torch.equal(reverse, flat) else flat * 0.5
        else:
            flat = flat.clone()
        return flat.untyped_storage(), flat.dtype


def why_not_copied(tensor):
    """Why no faithful copy of this tensor can be made, as words behind "a tensor"; "" where one can."""
    if type(tensor) not in _PLAIN:
        return f"of the class {type(tensor).__name__}"
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        return "inside a function transform"
    if tensor.layout != torch.strided or tensor.is_quantized or tensor.is_nested:
        return "that is not dense and strided"
    if tensor.device.type == "meta":
        return "without data"
    if tensor.is_inference():
        return "of inference mode"
    if torch._is_functional_tensor(tensor):
        return "that wraps another"
    try:
        tensor.untyped_storage().data_ptr()
        tensor.grad_fn
    except RuntimeError as error:
        return f"that cannot be read ({first_line(error)})"
    return ""


def names_of(code):
    """The names that a code object and the functions inside it read as globals."""
    inner = (each for each in code.co_consts if isinstance(each, types.CodeType))
    own = {each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return own.union(*map(names_of, inner))


def first_line(error):
    """The first line of an exception's text; of one that wraps a compiler's, that of the one inside."""
    inner = getattr(error, "inner_exception", None)
    if inner is not None:
        return f"{type(inner).__name__}: {first_line(inner)}"
    return next((line for line in str(error).splitlines() if line.strip()), "")


def _function_with(function, names, closure):
    made = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    made.__module__ = function.__module__
    made.__dict__.update(function.__dict__)
    return made


def _copy_function(function, memo):
    if _KEY not in memo or not function.__closure__ or (function.__module__ or "").split(".")[0] == "torch":
        return function
    cells = tuple(types.CellType() for _ in function.__closure__)
    memo[id(function)] = made = _function_with(function, function.__globals__, cells)
    same = True
    for old, new in zip(function.__closure__, cells):
        try:
            value = old.cell_contents
        except ValueError:  # an empty cell
            continue
        new.cell_contents = copy.deepcopy(value, memo) if isinstance(value, _FOLLOWED) else value
        same = same and (new.cell_contents is value or new.cell_contents is made)
    if same:
        memo[id(function)] = made = function
    return made


def _copy_tensor(tensor, memo):
    return memo[_KEY]._tensor(tensor) if _KEY in memo else _deepcopy_of_tensor(tensor, memo)


_deepcopy_of_tensor = torch.Tensor.__deepcopy__


def _refuse_subclass(tensor, memo):
    if _KEY in memo:
        raise CannotCopy(f"a tensor {why_not_copied(tensor) or 'of this class'} cannot be copied")
    return _deepcopy_of_tensor(tensor, memo)


@contextlib.contextmanager
def _deepcopy_asks_copiers():
    """While it lasts, `copy.deepcopy` gives tensors and functions to the copier in its memo."""
    table = copy._deepcopy_dispatch
    atomic = table.get(types.FunctionType)
    added = {torch.Tensor: _copy_tensor, torch.nn.Parameter: _copy_tensor, types.FunctionType: _copy_function}
    table.update(added)
    torch.Tensor.__deepcopy__ = _refuse_subclass
    try:
        yield
    finally:
        torch.Tensor.__deepcopy__ = _deepcopy_of_tensor
        for each in added:
            table.pop(each, None)
        if atomic is not None:
            table[types.FunctionType] = atomic
