"""Programs a second under Inductor: as PyTorch builds kernels, and as Touchstone's workers do.

    inductor_builds.py BINARY [--programs 24] [--seed 1] [--processes 6] [--repeat 2]
    inductor_builds.py BINARY --parts

The Programs are random Cases of `touchstone generate`, compiled once and called once with a backward where there is one. Both ways
take turns, with the same Programs and as many processes, each of which has compiled a Program before. Printed are programs a second,
processor seconds a program (of Python, and of the C++ compiler), their ratio, and how many Programs gave the same bits, for each turn.
"""

import argparse
import hashlib
import importlib.util
import multiprocessing
import os
import pathlib
import resource
import shlex
import shutil
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


def tensors(value):
    if isinstance(value, dict):
        value = list(value.values())
    return [each for part in value for each in tensors(part)] if isinstance(value, (tuple, list)) else [value]


def compile_and_call(torch, file, forget):
    """The bits of what the Program returned and of the gradients, or what it raised."""
    from torch._inductor.utils import fresh_cache

    case = loaded("case_" + file.stem.replace("-", "_"), file)
    bits = hashlib.sha256()
    with fresh_cache():
        torch._dynamo.reset()
        forget()
        arguments, watched = case.inputs(7, "uniform")
        torch.manual_seed(0)
        try:
            returned = tensors(torch.compile(case.program, dynamic=False)(*arguments))
            returned = [each for each in returned if isinstance(each, torch.Tensor)]
            roots = [each for each in returned if each.requires_grad]
            if roots:
                torch.autograd.backward(roots, [torch.ones_like(each) for each in roots])
            leaves = [each for each in tensors([*arguments, *watched]) if isinstance(each, torch.Tensor) and each.is_leaf]
            for each in [*returned, *(leaf.grad for leaf in leaves if leaf.grad is not None)]:
                values = each.detach().resolve_conj().resolve_neg().contiguous().flatten()
                bits.update(bytes(values.view(torch.uint8).tolist()))
        except Exception as error:  # as dear as it was; whether it is right to raise is not asked here
            bits.update(type(error).__name__.encode())
    return bits.hexdigest()


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
    own, children, bits = used(resource.RUSAGE_SELF), used(resource.RUSAGE_CHILDREN), {}
    while (file := files.get()) is not None:
        bits[file.name] = compile_and_call(torch, file, forget)
    answers.put((used(resource.RUSAGE_SELF) - own, used(resource.RUSAGE_CHILDREN) - children, bits))


def turn(together, cases, processes):
    """Seconds by the clock, of Python and of the compiler for all Programs, and the bits of each."""
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
    bits = {name: each for *_, ofWorker in parts for name, each in ofWorker.items()}
    return seconds, sum(own for own, *_ in parts), sum(children for _, children, _ in parts), bits


def compile_commands(torch, program):
    """What a Program's kernels are compiled by: shell words each, and the folder that they need."""
    from torch._inductor import cpp_builder
    from torch._inductor.utils import fresh_cache

    commands, run = [], cpp_builder._run_compile_cmd

    def noted(command, cwd):
        commands.append(shlex.split(command))
        run(command, cwd)

    cpp_builder._run_compile_cmd = noted
    folder = tempfile.mkdtemp()
    with fresh_cache(dir=folder, delete=False):
        torch.compile(program)(torch.rand(7, 7))
    cpp_builder._run_compile_cmd = run
    return [command for command in commands if any(word.endswith(".main.cpp") for word in command)], folder


def parts():
    """Prints what one kernel's compile is made of, and what was tried: the least of four times each."""
    import torch
    import torch._inductor.config
    from torch._inductor import cpu_vec_isa
    from torch._inductor.utils import fresh_cache

    torch._inductor.config.compile_threads = 1

    def seconds(words):
        least = []
        for _ in range(4):
            begin = used(resource.RUSAGE_CHILDREN)
            subprocess.run(words, check=True, capture_output=True)
            least.append(used(resource.RUSAGE_CHILDREN) - begin)
        return min(least)

    begin = used(resource.RUSAGE_CHILDREN)
    with fresh_cache():
        cpu_vec_isa.pick_vec_isa()
    print(f"{'which instructions the processor has':44} {used(resource.RUSAGE_CHILDREN) - begin:.2f}")
    (whole, *_), folder = compile_commands(torch, lambda x: (torch.mm(x, x).sin() * 3 + x).relu().sum(0))
    output = whole[whole.index("-o") + 1]
    (source,) = [word for word in whole if word.endswith(".main.cpp")]
    nothing = pathlib.Path(folder) / "nothing.cpp"
    nothing.write_text("int nothing() { return 1; }\n")
    object_file = [*(word for word in whole if word != "-shared" and not word.startswith("-l")), "-c"]
    header = whole.index("-include")
    for what, words in {
        "a kernel": whole,
        "without linking": object_file,
        "nothing but the precompiled header, not linked": [str(nothing) if word == source else word for word in object_file],
        "linked by mold": [*whole, "-fuse-ld=mold"],
        "linked by lld": [*whole, "-fuse-ld=lld"],
        "without warnings": ["-w" if word == "-Wall" else word for word in whole],
        "without -g1": [word for word in whole if word != "-g1"],
        "-O1": ["-O1" if word == "-O3" else word for word in whole],
        "-O0": ["-O0" if word == "-O3" else word for word in whole],
        "without a precompiled header": whole[:header] + whole[header + 2 :],
    }.items():
        linker = words[-1].removeprefix("-fuse-ld=")
        if linker == words[-1] or shutil.which("ld." + linker):
            print(f"{what:44} {seconds([*words, '-o', output]):.2f}", flush=True)
    shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--programs", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=6)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--parts", action="store_true", help="what the compile of one kernel is made of, instead")
    options = parser.parse_args()
    if options.parts:
        return parts()
    with tempfile.TemporaryDirectory() as folder:
        made = ("generate", "--seed", str(options.seed), "--cases", str(options.programs + 1), "-o", folder)
        subprocess.run([options.binary, *made], check=True, stdout=subprocess.DEVNULL)
        cases = sorted(pathlib.Path(folder).glob("*.py"))
        print(f"{len(cases) - 1} Programs, {options.processes} processes, {os.cpu_count()} cores")
        print("way      programs/s  processor s a program (Python + compiler)")
        for _ in range(options.repeat):
            rates, found = [], []
            for together in (False, True):
                seconds, own, children, bits = turn(together, cases, options.processes)
                count = len(cases) - 1
                rates.append((count / seconds, count / (own + children)))
                found.append(bits)
                way = "together" if together else "plain"
                print(f"{way:8} {count / seconds:10.2f}  {(own + children) / count:.2f} ({own / count:.2f} + {children / count:.2f})")
            (plain, plain_work), (ours, ours_work) = rates
            same = sum(found[0][name] == bits for name, bits in found[1].items())
            print(f"ratio    {ours / plain:10.2f}  {ours_work / plain_work:.2f}; {same} of {count} with the same bits", flush=True)


if __name__ == "__main__":
    sys.exit(main())
