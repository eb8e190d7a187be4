"""A file for pytest, but for the Case itself and the functions that compare. The marks are those of `main_part.py`; parts are conditions, too."""

TEST, CHECK = "test_case", "_check"
PARAMETERS = "aot_eager"  # a line for each backend

# ----------------------------------------------------------------------------------------------------------------------

import contextlib  # if imports
import subprocess  # if imports and apart
import sys  # if imports and system

import pytest  # if imports
import torch._dynamo  # if imports and dynamo
import torch._functorch.config  # if imports and functorch
import torch._inductor.config  # if imports and inductor


@contextlib.contextmanager  # if settings
def _settings():  # if settings
    import torch._functorch.config
    import torch._inductor.config

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch._dynamo.reset()
    with contextlib.ExitStack() as stack:
        stack.callback(torch.set_num_threads, threads)
        stack.enter_context(torch._tensor_str.printoptions(precision=10))
        stack.enter_context(torch._dynamo.config.patch(recompile_limit=256))
        stack.enter_context(torch._dynamo.config.patch(accumulated_recompile_limit=4096))
        stack.enter_context(torch._functorch.config.patch(donated_buffer=False))
        stack.enter_context(torch._inductor.config.patch(fallback_random=True))  # eager's random numbers
        yield


@pytest.mark.parametrize(  # if test
    "backend",
    [
        PARAMETERS
    ],
)  # if test
def TEST(backend):  # if test
    with _settings():  # if not apart
        CHECK(backend)
    command = [sys.executable, __file__, "CHECK", backend]  # the process may die  # if apart
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)  # if apart
    assert done.returncode == 0, f"the process ended with {done.returncode}\n{done.stderr[-2000:]}"  # if apart


if __name__ == "__main__":  # if script
    with _settings():
        globals()[sys.argv[1]](sys.argv[2])
