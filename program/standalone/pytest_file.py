"""Files for pytest and for CompilerBisector, but for the Case itself and the functions that compare.

The marks are those of `main_part.py`; parts are conditions, too.
"""

BACKEND = "aot_eager"
TEST, CHECK = "test_case", "_check"
PARAMETERS = "aot_eager"  # a line for each backend

# ----------------------------------------------------------------------------------------------------------------------

import contextlib  # if imports
import os  # if imports and apart and bisected
import subprocess  # if imports and apart
import sys  # if imports and system

import pytest  # if imports and not bisected
import torch._dynamo  # if imports and dynamo
import torch._functorch.config  # if imports and functorch
import torch._inductor.config  # if imports and inductor
from torch._inductor.compiler_bisector import CompilerBisector  # if imports and bisected


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


def test_fn() -> bool:  # if function
    """True where the compiled program does what eager mode does; what differs is printed."""
    try:  # if not apart
        with _settings(), torch._inductor.config.patch(force_disable_caches=True):
            CHECK(BACKEND)
    except AssertionError as difference:  # if not apart
        print(difference)
        return False
    return True  # if not apart
    command = [sys.executable, __file__, "CHECK", BACKEND]  # the process may die  # if apart
    folder = CompilerBisector.in_process_cache  # where its state is, if it is at work  # if apart
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": folder} if folder else None  # if apart
    try:  # if apart
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    except subprocess.TimeoutExpired as late:  # if apart
        print(late)
        return False
    if done.returncode != 0:  # if apart
        print(f"the process ended with {done.returncode}\n{done.stderr[-2000:]}")
    return done.returncode == 0  # if apart


if __name__ == "__main__":  # if script
    if sys.argv[1:]:  # around if bisected
        with _settings():
            globals()[sys.argv[1]](sys.argv[2])
    else:  # if bisected
        print(CompilerBisector.do_bisect(test_fn))


if __name__ == "__main__":  # if bisection
    print(CompilerBisector.do_bisect(test_fn))
