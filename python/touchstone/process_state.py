"""The state of the process that a call can change: generators of random numbers, grad mode, autocast, default dtype."""

import contextlib
import random
import sys
import warnings

import torch


class ProcessState:
    """What the process had when this was made; `restore` puts it back."""

    def __init__(self):
        self.generators = {"cpu": torch.get_rng_state()}
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            self.generators.update({f"cuda:{i}": each for i, each in enumerate(torch.cuda.get_rng_state_all())})
        self.modes = {
            "grad mode": torch.is_grad_enabled(),
            "inference mode": torch.is_inference_mode_enabled(),
            "autocast on cpu": torch.is_autocast_enabled("cpu"),
            "default dtype": torch.get_default_dtype(),
        }
        self._random = random.getstate()
        numpy = sys.modules.get("numpy")
        self._numpy = numpy.random.get_state() if numpy else None

    def restore(self):
        """Puts the generators, grad mode and default dtype back."""
        for device, state in self.generators.items():
            torch.set_rng_state(state) if device == "cpu" else torch.cuda.set_rng_state(state, device)
        random.setstate(self._random)
        if self._numpy is not None:
            sys.modules["numpy"].random.set_state(self._numpy)
        torch.set_grad_enabled(self.modes["grad mode"])
        torch.set_default_dtype(self.modes["default dtype"])

    def drew(self, later):
        """Whether random numbers were drawn between this state and a later one."""
        return any(not torch.equal(state, later.generators.get(device, state)) for device, state in self.generators.items())

    def differences(self, other):
        """Texts of what differs, this one being eager's."""
        texts = [f"{name} is {mine} in eager mode, {other.modes[name]} when compiled" for name, mine in self.modes.items()
                 if other.modes[name] != mine]
        return texts + [f"the generator of {device} is in another state" for device, state in self.generators.items()
                        if device in other.generators and not torch.equal(state, other.generators[device])]


@contextlib.contextmanager
def state_kept():
    """Puts the process's state back when it ends, whatever happened."""
    state = ProcessState()
    try:
        yield state
    finally:
        state.restore()


@contextlib.contextmanager
def fresh_memory_filled():
    """While it lasts, tensors made without values hold NaNs or the largest integer, so that a run that reads them is told."""
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    filled = torch.utils.deterministic.fill_uninitialized_memory
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.use_deterministic_algorithms(True, warn_only=True)
        torch.utils.deterministic.fill_uninitialized_memory = True
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(before[0], warn_only=before[1])
            torch.utils.deterministic.fill_uninitialized_memory = filled
