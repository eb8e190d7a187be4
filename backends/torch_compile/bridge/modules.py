"""`torch.nn` modules made of the tensors that the C++ side holds, and read back after a call."""

import weakref

import torch

PARAMETER, BUFFER, MODULE, PLAIN = range(4)

# For each module the attributes that its class made for itself.
_own_attributes = weakref.WeakKeyDictionary()


def build(type_name, hyper):
    """A module of that class of `torch.nn`, made without drawing from the default generators; `update` gives it values."""
    state = torch.get_rng_state()
    with torch.inference_mode(False):
        module = getattr(torch.nn, type_name)(**hyper)
    torch.set_rng_state(state)
    _own_attributes[module] = frozenset(vars(module))
    return module


def update(module, training, fields):
    """Gives the module the C++ side's fields: the very tensors, parameters under the class that torch.nn expects."""
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


def read(module, known):
    """(training, [(name, kind, value)]): the fields that the C++ side knows, then those that the Program has added."""
    fields = []
    registries = ((PARAMETER, module._parameters), (BUFFER, module._buffers), (MODULE, module._modules))
    for kind, registry in registries:
        fields.extend((name, kind, value) for name, value in registry.items() if value is not None or name in known)
    own = _own_attributes[module]
    fields.extend((name, PLAIN, value) for name, value in vars(module).items() if name in known or name not in own)
    return module.training, fields
