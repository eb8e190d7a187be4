#include "backends/decompositions/LeftOut.h"

#include "backends/decompositions/DecompositionTable.h"
#include "backends/decompositions/TorchSelection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace touchstone::decompositions {

namespace {

struct LeftOut {
  std::string_view reason, targets; // without `aten::`
};
constexpr std::array kLeftOut{
    LeftOut{
        "makes a tensor of nothing: there is nothing simpler",
        "arange arange.start arange.start_step empty_like empty_permuted eye eye.m full full_like hann_window "
        "hann_window.periodic linspace linspace.Scalar_Tensor linspace.Tensor_Scalar linspace.Tensor_Tensor logspace "
        "logspace.Scalar_Tensor logspace.Tensor_Scalar logspace.Tensor_Tensor new_empty new_full new_ones new_zeros "
        "ones "
        "ones_like tril_indices triu_indices zeros zeros_like"},
    LeftOut{"a view, or one in all but its schema",
            "_reshape_alias _unsafe_view detach lift split.Tensor squeeze squeeze.dim t transpose.int unbind.int "
            "unsafe_split.Tensor unsafe_split_with_sizes"},
    LeftOut{
        "draws random numbers, in an order that is eager's alone",
        "bernoulli bernoulli.p cauchy exponential geometric log_normal native_dropout normal.Tensor_Tensor "
        "normal.Tensor_float normal.float_Tensor normal.float_float rand_like rand_like.generator randint randint_like "
        "randint_like.low_dtype randn_like randn_like.generator rrelu_with_noise_functional"},
    LeftOut{"has no CPU kernel",
            "_fused_rms_norm_backward addmm.dtype baddbmm.dtype bmm.dtype cudnn_batch_norm cudnn_batch_norm_backward "
            "miopen_batch_norm miopen_batch_norm_backward mm.dtype"},
    LeftOut{"is decided by values: it raises for some, or they say how large its result is",
            "binary_cross_entropy repeat_interleave.Tensor sym_constrain_range_for_size"},
    LeftOut{"eager's vector code and its scalar code disagree about NaN or the sign of zero, so that no formula agrees "
            "with both",
            "elu_backward hardswish_backward hardtanh_backward logit_backward softshrink"},
    LeftOut{"there is nothing simpler",
            "_to_copy add.Scalar add.Tensor cat conj_physical convolution_backward is_same_size resize_as"},
};

/// What default_decompositions has beyond them. Measured: 997 numbers from -6 to 6 of float64, float32 and bfloat16, then
/// with every seventh NaN (DecompositionsTest.TheDefaultsAloneDifferFromEagerAsThePageSays).
struct DefaultAlone {
  const char *targets, *difference;
};
constexpr std::array kDefaultsAlone{
    DefaultAlone{
        "elu_backward",
        "1.3 units in the last place; for 142 of 143 inputs that are NaN (bfloat16: 138) it gives NaN, eager a number"},
    DefaultAlone{"hardswish_backward", "none of numbers; NaN as `elu_backward`"},
    DefaultAlone{"hardtanh_backward", "none"},
    DefaultAlone{"detach", "none: it becomes `alias`; functionalized Graphs have none"},
    DefaultAlone{"conj_physical", "none: of real numbers it becomes `alias`, of complex ones it stays"},
    DefaultAlone{"is_same_size", "none; no Graph holds it, because it gives no tensor"},
    DefaultAlone{
        "cudnn_batch_norm cudnn_batch_norm_backward",
        "not measured: there is no CPU kernel; they become `native_batch_norm` and its backward, and stay where running "
        "statistics would be written"},
};

/// `add.Scalar`, `sin`
std::string namesOf(const std::vector<std::string>& targets) {
  std::string names;
  for (const std::string& target : targets) {
    names += (names.empty() ? "`" : ", `") + target.substr(std::string_view("aten::").size()) + "`";
  }
  return names;
}

std::string countsRow(const char* name, const std::vector<std::string>& selection,
                      const std::shared_ptr<const DecompositionTable>& table = allDecompositions()) {
  const auto here = std::count_if(selection.begin(), selection.end(),
                                  [&](const std::string& target) { return table->contains(target); });
  return fmt::format("| {} | {} | {} | {} |\n", name, selection.size(), here,
                     static_cast<int64_t>(selection.size()) - here);
}

constexpr const char* kIntroduction = R"(# Decompositions

For whoever reads a decomposed graph or chooses decompositions from C++: which operators `aot_eager_decomp_partition` replaces by
simpler ones, which it leaves out, and why.

An operator that has a decomposition is replaced while the joint Graph is functionalized
(`backends/aot_autograd/CallDecomposition.cpp`): the call is traced on fake tensors, and the resulting operators are
functionalized and decomposed in turn and take the call's place. Dtypes, sizes and strides stay eager's; values may round in another
way (rule A7). `backends/decompositions/` has a function for each family. The decompositions are tested against eager
(`oracles/stages/DecompositionLaws.h`), so where one of PyTorch's differs from eager, these follow eager.

The table counts overloads that write to nothing and that autograd sees as one operator; functionalization leaves no others.

| table of PyTorch 2.13 | operators | decomposed here | left out |
|---|---:|---:|---:|
)";

} // namespace

std::string_view whyLeftOut(const std::string& target) {
  for (const LeftOut& group : kLeftOut) {
    const std::vector<std::string> targets = targetsIn({group.targets});
    if (std::find(targets.begin(), targets.end(), target) != targets.end()) {
      return group.reason;
    }
  }
  return "";
}

std::string decompositionsDocument() {
  std::string text = kIntroduction;
  text += countsRow("Inductor's (`select_decomp_table`)", inductorSelection());
  text += countsRow("core ATen's (`core_aten_decompositions`)", coreSelection());
  text += countsRow("`default_decompositions` of `functorch.compile`", defaultSelection(), defaultDecompositions());
  text +=
      "\nA decomposition may leave single calls as they are (`NotDecomposed`): of dtypes or sizes that it does not "
      "follow.\n";
  text += "\n## Left out\n\n| operators | why |\n|---|---|\n";
  for (const LeftOut& group : kLeftOut) {
    text += fmt::format("| {} | {} |\n", namesOf(targetsIn({group.targets})), group.reason);
  }
  text +=
      "\n## In `default_decompositions` alone\n\nEight of these are decomposed where that table is asked for by name "
      "(`Decompositions::named(\"default_decompositions\")`,\n`fusionOptions()`), as PyTorch does, and nowhere else: no backend "
      "takes them, because some differ from eager.\n\n| operators | largest difference measured |\n|---|---|\n";
  for (const DefaultAlone& each : kDefaultsAlone) {
    text += fmt::format("| {} | {} |\n", namesOf(targetsIn({each.targets})), each.difference);
  }
  text += "\n## Decomposed\n\n";
  return text + namesOf(allDecompositions()->targets()) + ".\n";
}

} // namespace touchstone::decompositions
