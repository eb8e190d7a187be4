#include "backends/graph_files/PythonFile.h"

#include "graph/runtime/RunnableCode.h"
#include "program/language/CasePrinter.h"

#include <fmt/format.h>

#include <cctype>

namespace touchstone::graph_files {

namespace {

constexpr const char* kHead =
    R"("""The Graph `{0}` of a compile by `{1}`, as Touchstone wrote it down; docs/graph_files.md explains the folder.

    python graph.py

runs it with PyTorch alone. With the values of the run that was kept (values.bin) it says whether it gives the same, and
exits with 1 when it does not; otherwise it gets inputs like those that it was compiled for (inputs.json).

    touchstone reduce FOLDER --backend {2} --output small.py

where FOLDER is the one that this file is in, makes a Case of it, the smallest that the backend still gets wrong.
"""

import json
import pathlib
import sys

)";

constexpr const char* kReader = R"(

def opened(path):
    """What a file of the folder holds, and the bytes behind its first line."""
    line, _, memory = path.read_bytes().partition(b"\n")
    envelope = json.loads(line)
    if envelope["format"] > 1:
        sys.exit(f"{path} has format {envelope['format']}, which is newer than this file")
    return envelope["content"], memory


def kept_values(path):
    """Lists of tensors by name; they share memory as they did."""
    content, memory = opened(path)
    storages, begin = [], 0
    for size in content["storages"]:
        part = torch.frombuffer(bytearray(memory[begin : begin + size]), dtype=torch.uint8) if size else torch.empty(0)
        storages.append(part.untyped_storage())
        begin += size

    def tensor(each):
        if each is None:
            return None
        empty = torch.empty(0, dtype=getattr(torch, each["dtype_name"]))
        made = empty.set_(storages[each["storage"]], each["offset"], each["sizes"], each["strides"])
        made = made.conj() if each.get("conjugate") else made
        made = torch._neg_view(made) if each.get("negative") else made
        return made.item() if each.get("number") else made

    return {name: [tensor(each) for each in tensors] for name, tensors in content["lists"].items()}


def inputs_like(path):
    """Inputs that have what is written down of them: random numbers, and zeros for whole ones, which may be indices."""
    inputs, memories = opened(path)[0]["inputs"], {}
    for number, each in enumerate(inputs):
        if "number" in each:
            continue
        about = each["tensor"]
        reach = sum((size - 1) * stride for size, stride in zip(about["sizes"], about["strides"]))
        span = 0 if 0 in about["sizes"] else 1 + reach
        memory = memories.setdefault((each["memory"], about["dtype_name"]), dict(elements=1))
        memory["elements"] = max(memory["elements"], about["offset"] + span)
        memory["number"] = number
    made = []
    for each in inputs:
        if "number" in each:
            made.append(float(each["number"]["float"]) if isinstance(each["number"], dict) else each["number"])
            continue
        about = each["tensor"]
        memory = memories[(each["memory"], about["dtype_name"])]
        if "values" not in memory:
            dtype = getattr(torch, about["dtype_name"])
            kind = "uniform" if dtype.is_floating_point or dtype.is_complex else "zeros"
            memory["values"] = data((memory["elements"],), dtype, (0, memory["number"]), kind)
        made.append(memory["values"].as_strided(about["sizes"], about["strides"], about["offset"]))
    return made


def same(found, kept):
    if found is None or kept is None:
        return found is None and kept is None
    found = found if torch.is_tensor(found) else torch.tensor(found, dtype=getattr(kept, "dtype", None))
    kept = kept if torch.is_tensor(kept) else torch.tensor(kept, dtype=found.dtype)
    if found.dtype != kept.dtype or found.shape != kept.shape:
        return False
    strides = zip(found.shape, found.stride(), kept.stride())
    if found.numel() > 0 and any(size > 1 and left != right for size, left, right in strides):
        return False
    found, kept = (each.resolve_conj().resolve_neg().contiguous() for each in (found, kept))
    if found.is_floating_point() or found.is_complex():  # a NaN is a NaN
        nan = found.isnan() & kept.isnan()
        found, kept = (each.masked_fill(nan, 0) for each in (found, kept))
    found, kept = (each.reshape(-1).view(torch.uint8) for each in (found, kept))
    return torch.equal(found, kept)


def main():
    folder = pathlib.Path(__file__).resolve().parent
    kept = kept_values(folder / "values.bin") if (folder / "values.bin").exists() else None
    inputs = kept["inputs"] if kept else inputs_like(folder / "inputs.json")
    if kept and "generator" in kept:
        torch.set_rng_state(kept["generator"][0])
    with torch.no_grad():
        outputs = FUNCTION(*inputs)
    outputs = [outputs] if torch.is_tensor(outputs) else list(outputs)
    for position, output in enumerate(outputs):
        what = f"{output.dtype} {tuple(output.shape)} {output.stride()}" if torch.is_tensor(output) else repr(output)
        verdict = "" if kept is None else ", as kept" if same(output, kept["outputs"][position]) else ", DIFFERS"
        print(f"output {position}: {what}{verdict}")
    if kept is None:
        return 0
    right = len(outputs) == len(kept["outputs"]) and all(map(same, outputs, kept["outputs"]))
    after = all(map(same, inputs, kept["inputs_after"]))
    print("the same as when it was kept" if right and after else "NOT the same as when it was kept")
    return 0 if right and after else 1


if __name__ == "__main__":
    sys.exit(main())
)";

} // namespace

std::string pythonFile(const ir::Graph& graph, const std::string& part, const std::string& pipeline) {
  ir::GraphTextOptions options;
  for (const char letter : part) {
    options.name += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  }
  options.name = "run_" + options.name; // hides nothing
  std::string reader = kReader;
  const std::string word = "FUNCTION";
  reader.replace(reader.find(word), word.size(), options.name);
  return fmt::format(kHead, part, pipeline.empty() ? "a compiler" : pipeline, pipeline.empty() ? "NAME" : pipeline) +
         runtime::runnableCode(graph, options) + "\n\n" + language::dataPreamble() + reader;
}

} // namespace touchstone::graph_files
