"""Programs a second under Inductor: as PyTorch builds kernels, and as Touchstone's workers do.

    inductor_builds.py BINARY [--programs 24] [--seed 1] [--processes 6] [--repeat 2]

The Programs are random Cases of `touchstone generate`, compiled once and called once with a backward where there is one. Both ways
take turns, with the same Programs and as many processes, each of which has compiled a Program before. Printed are programs a second,
processor seconds a program (of Python, and of the C++ compiler), and their ratio, for each turn.
"""

import argparse
import importlib.util
import multiprocessing
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILDS = ROOT / "backends" / "torch_compile" / "bridge" / "inductor_builds.py"
os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"


def loaded(name, file):
    specification = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def compile_and_call(torch, file, forget):
    from torch._inductor.utils import fresh_cache

    case = loaded("case_" + file.stem.replace("-", "_"), file)
    with fresh_cache():
        torch._dynamo.reset()
        forget()
        arguments, _ = case.inputs(7, "uniform")
        try:
            returned = torch.compile(case.program, dynamic=False)(*arguments)
            returned = returned if isinstance(returned, tuple) else (returned,)
            roots = [each for each in returned if isinstance(each, torch.Tensor) and each.requires_grad]
            if roots:
                torch.autograd.backward(roots, [torch.ones_like(each) for each in roots])
        except Exception:  # as dear as it was; whether it is right to raise is not asked here
            pass


def used(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def work(together, number, files, warm, ready, go, answers):
    import torch
    import torch._inductor.config

    torch.set_num_threads(1)
    torch._inductor.config.compile_threads = 1
    torch._inductor.config.fallback_random = True
    forget = lambda: None
    if together:
        builds = loaded("inductor_builds", BUILDS)
        builds.share()
        builds.install()
        forget = builds.forget
    compile_and_call(torch, warm, forget)
    ready.put(number)
    go.wait()
    own, children = used(resource.RUSAGE_SELF), used(resource.RUSAGE_CHILDREN)
    while (file := files.get()) is not None:
        compile_and_call(torch, file, forget)
    answers.put((used(resource.RUSAGE_SELF) - own, used(resource.RUSAGE_CHILDREN) - children))


def turn(together, cases, processes):
    """Seconds by the clock, of Python and of the compiler for all Programs."""
    context = multiprocessing.get_context("spawn")
    files, ready, answers, go = context.Queue(), context.Queue(), context.Queue(), context.Event()
    workers = [
        context.Process(target=work, args=(together, number, files, cases[0], ready, go, answers)) for number in range(processes)
    ]
    for worker in workers:
        worker.start()
    for _ in workers:
        ready.get()
    for file in [*cases[1:], *[None] * processes]:
        files.put(file)
    begun = time.monotonic()
    go.set()
    parts = [answers.get() for _ in workers]
    seconds = time.monotonic() - begun
    for worker in workers:
        worker.join()
    return seconds, sum(own for own, _ in parts), sum(children for _, children in parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--programs", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=6)
    parser.add_argument("--repeat", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = ("generate", "--seed", str(options.seed), "--cases", str(options.programs + 1), "-o", folder)
        subprocess.run([options.binary, *made], check=True, stdout=subprocess.DEVNULL)
        cases = sorted(pathlib.Path(folder).glob("*.py"))
        print(f"{len(cases) - 1} Programs, {options.processes} processes, {os.cpu_count()} cores")
        print("way      programs/s  processor s a program (Python + compiler)")
        for _ in range(options.repeat):
            rates = []
            for together in (False, True):
                seconds, own, children = turn(together, cases, options.processes)
                count = len(cases) - 1
                rates.append((count / seconds, count / (own + children)))
                way = "together" if together else "plain"
                print(f"{way:8} {count / seconds:10.2f}  {(own + children) / count:.2f} ({own / count:.2f} + {children / count:.2f})")
            (plain, plain_work), (ours, ours_work) = rates
            print(f"ratio    {ours / plain:10.2f}  {ours_work / plain_work:.2f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
