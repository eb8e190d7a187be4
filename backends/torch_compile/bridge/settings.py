"""Process-wide settings of the embedded PyTorch: one thread, silent, no limit that would end compiling early."""

import gc
import logging
import os
import sys
import warnings

from . import inductor_builds

_ALLOCATIONS_A_COLLECTION = 100_000


def collect_rarely():
    """Before torch is imported, which makes much that stays. Programs are collected as they close; with the default threshold each
    compile is, too, many times."""
    gc.set_threshold(_ALLOCATIONS_A_COLLECTION, 50, 100)


def silence():
    """Standard output belongs to the worker's protocol, so what a Program prints is dropped."""
    sys.stdout = open(os.devnull, "w")
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)


def prepare_environment():
    # Read when inductor is imported: with one compile thread it starts no worker processes.
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    inductor_builds.share()


def configure():
    silence()
    prepare_environment()

    import torch
    import torch._dynamo
    import torch._dynamo.guards
    import torch._functorch.config
    import torch._inductor.config

    torch.set_num_threads(1)
    # A Case has up to 32 calls, each of which may compile a frame again; after the limit Dynamo would run eagerly.
    torch._dynamo.config.recompile_limit = 256
    torch._dynamo.config.accumulated_recompile_limit = 4096
    # Donated buffers refuse a second backward that eager allows.
    torch._functorch.config.donated_buffer = False
    torch._dynamo.utils.set_compilation_metrics_limit(4096)
    # The decompositions, also of other backends, are Inductor's; its own random generator draws other numbers than eager.
    torch._inductor.config.fallback_random = True
    torch._inductor.config.compile_threads = 1
    # Programs are collected as they close.
    torch._dynamo.config.run_gc_after_compile = False
    # For a log line, each compile flushes the processor's caches and times its guards: a tenth of a small compile.
    torch._dynamo.guards.profile_guard_manager = lambda root, local_scope, iterations: 0.0


def settle():
    """After the warm-up: what lives now lives for ever. A later collection looks at a Case's own objects only, and forked
    children share these pages."""
    gc.collect()
    gc.freeze()
