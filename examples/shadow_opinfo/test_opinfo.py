"""The sample inputs of PyTorch's operators through `torch.compile`, to be judged in shadow:

    pytest -p touchstone.pytest_plugin --touchstone examples/shadow_opinfo

SHADOW_BACKEND names the backend (aot_eager), SHADOW_DTYPE the dtype (float32), SHADOW_EVERY takes every n-th operator (1), at
most SHADOW_SAMPLES samples of each (3), and draws their values SHADOW_ROUNDS times (1). The suite itself asks only that a compiled
call does not raise; what it gives is the plugin's to judge.
"""

import itertools
import os

import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db

BACKEND = os.environ.get("SHADOW_BACKEND", "aot_eager")
DTYPE = getattr(torch, os.environ.get("SHADOW_DTYPE", "float32"))
OPERATORS = [each for each in op_db if DTYPE in each.dtypes and not each.name.startswith("jiterator")][:: int(os.environ.get("SHADOW_EVERY", "1"))]
SAMPLES = int(os.environ.get("SHADOW_SAMPLES", "3"))
ROUNDS = int(os.environ.get("SHADOW_ROUNDS", "1"))
torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = 1000  # a call beyond it is not compiled


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda each: f"{each.name}-{each.variant_test_name}".rstrip("-"))
def test_samples(operator):
    torch._dynamo.reset()
    function = operator.op

    def program(*arguments, **keywords):
        return function(*arguments, **keywords)

    compiled = torch.compile(program, backend=BACKEND)
    for seed in range(ROUNDS):
        torch.manual_seed(seed)
        samples = operator.sample_inputs("cpu", DTYPE, requires_grad=operator.supports_autograd and DTYPE.is_floating_point)
        for sample in itertools.islice(samples, SAMPLES):
            try:
                compiled(sample.input, *sample.args, **sample.kwargs)
            except Exception as error:
                if "torch._dynamo" not in type(error).__module__:
                    raise
                pytest.skip(f"{BACKEND} does not take it: {str(error).splitlines()[0][:100]}")
