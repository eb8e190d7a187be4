"""`torch.nn` modules made of the tensors that the C++ side holds, with their hooks, and read back after a call."""

import weakref

import torch

PARAMETER, BUFFER, MODULE, PLAIN = range(4)

# Kinds of hooks, by the numbers of the C++ side: how they are registered, and where a module keeps them.
_REGISTRATIONS = (
    "register_forward_pre_hook",
    "register_forward_hook",
    "register_full_backward_pre_hook",
    "register_full_backward_hook",
)
_REGISTRIES = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")

# For each module the attributes that its class made for itself.
_own_attributes = weakref.WeakKeyDictionary()
# For each module its hooks, as (kind, key in the registry), by the number that the C++ side has for them.
_hooks = weakref.WeakKeyDictionary()


def build(type_name, hyper):
    """A module of that class of `torch.nn`, made without drawing from the default generators; `update` gives it values."""
    state = torch.get_rng_state()
    with torch.inference_mode(False):
        module = getattr(torch.nn, type_name)(**hyper)
    torch.set_rng_state(state)
    _own_attributes[module] = frozenset(vars(module))
    _hooks[module] = {}
    return module


def update(module, training, fields, hooks, functions):
    """Gives the module the C++ side's fields: the very tensors, parameters under the class that torch.nn expects; and its hooks,
    (number, kind, name of one of the functions)."""
    if module.training != training:
        module.training = training
    for name, kind, value in fields:
        if kind == PARAMETER:
            if type(value) is torch.Tensor:
                value.__class__ = torch.nn.Parameter
            if name not in module._parameters or module._parameters[name] is not value:
                setattr(module, name, value)
        elif kind == BUFFER:
            if name not in module._buffers:
                module.register_buffer(name, value)
            elif module._buffers[name] is not value:
                module._buffers[name] = value
        elif kind == MODULE:
            if module._modules.get(name) is not value:
                setattr(module, name, value)
        elif vars(module).get(name, module) is not value:
            setattr(module, name, value)
    known = _hooks[module]
    for number in known.keys() - {number for number, _, _ in hooks}:
        kind, key = known.pop(number)
        getattr(module, _REGISTRIES[kind]).pop(key, None)
    for number, kind, name in hooks:
        if number not in known:
            known[number] = kind, getattr(module, _REGISTRATIONS[kind])(functions[name]).id


def know(module, number, kind, key):
    """A hook that the Program has registered has this number from now on."""
    _hooks[module][number] = kind, key


def read(module, known):
    """(training, [(name, kind, value)], [(number or 0, kind, key, function)]): the fields that the C++ side knows, then those that the
    Program has added; and the hooks, by their kinds."""
    fields = []
    registries = ((PARAMETER, module._parameters), (BUFFER, module._buffers), (MODULE, module._modules))
    for kind, registry in registries:
        fields.extend((name, kind, value) for name, value in registry.items() if value is not None or name in known)
    own = _own_attributes[module]
    fields.extend((name, PLAIN, value) for name, value in vars(module).items() if name in known or name not in own)
    numbers = {place: number for number, place in _hooks[module].items()}
    hooks = [
        (numbers.get((kind, key), 0), kind, key, function.__name__)
        for kind, registry in enumerate(_REGISTRIES)
        for key, function in getattr(module, registry).items()
    ]
    return module.training, fields, hooks
