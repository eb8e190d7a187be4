#include "backends/faults/NativeFault.h"

#include "graph/ir/Arguments.h"
#include "graph/ir/Subgraph.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <map>
#include <string>

namespace touchstone::faults {

namespace {

using backends::CompiledGraph;
using backends::GraphCompiler;
using Examples = std::vector<at::Tensor>;

/// What a cache of compiled Graphs goes by.
struct CacheKey {
  bool constants = true; // of the Graph
  bool sizes = true, strides = true, dtype = true, requiresGrad = true, gradMode = true, autocast = true,
       sharing = true;
  size_t unguardedDimension = 1000; // whose size does not count
  bool onlyOneOrMany = false; // of a size it counts whether it is 1
  bool dimensions = true;
  bool isSorted = false; // the order of arguments does not count
  int64_t modulus = 0; // of whole numbers in the Graph; 0: they count
};

std::string numbersCounted(const ir::Graph& graph, const CacheKey& key) {
  std::string text;
  for (const ir::Node& node : graph.nodes()) {
    text += node.target + "(";
    for (const ir::Argument& argument : node.arguments) {
      const ir::NodeId read = nodeOf(argument);
      const std::optional<double> value = numberOf(graph, argument);
      if (value && !key.constants) {
        text += "number,";
      } else if (value) {
        text +=
            std::to_string(key.modulus > 0 ? static_cast<double>(static_cast<int64_t>(*value) % key.modulus) : *value) +
            ",";
      } else if (read >= 0) {
        text += "%" + std::to_string(read) + ",";
      } else {
        for (const int64_t each : integersOf(argument)) {
          text += std::to_string(each) + " ";
        }
        ir::forEachReference(argument, [&](ir::NodeId each) { text += "%" + std::to_string(each) + " "; });
        text += std::to_string(argument.payload.index()) + (argument == ir::Argument{true} ? "T," : ",");
      }
    }
    text += node.state.gradEnabled || !key.gradMode ? ")" : ")no_grad";
    text += key.autocast ? node.state.autocast : "";
  }
  for (const ir::NodeId output : ir::outputNodes(graph)) {
    text += ">" + std::to_string(output);
  }
  return text;
}

/// Where the argument lies, as far as that is not another way to say what does not count.
std::string placeOf(const at::Tensor& example, const CacheKey& key) {
  if (!key.sharing) {
    return "";
  }
  const bool countsBytes = key.dtype && key.sizes && key.unguardedDimension == 1000 && !key.onlyOneOrMany;
  std::string text = "@" + std::to_string(example.storage_offset());
  text += countsBytes ? "/" + std::to_string(example.storage().nbytes()) : "";
  if (key.strides && key.requiresGrad) {
    text += example.is_leaf() ? "leaf" : "";
    text += !example.is_inference() && example.is_view() ? "view" : "";
  }
  return text;
}

std::string described(const at::Tensor& example, const CacheKey& key) {
  std::string text = key.dtype ? c10::toString(example.scalar_type()) : "";
  text += key.dimensions ? "/" + std::to_string(example.dim()) : "";
  text += key.requiresGrad && example.requires_grad() ? "/grad" : "";
  for (int64_t i = 0; i < example.dim(); ++i) {
    if (key.sizes && static_cast<size_t>(i) != key.unguardedDimension) {
      text += "," + std::to_string(key.onlyOneOrMany ? std::min<int64_t>(example.size(i), 2) : example.size(i));
    }
    text += key.strides ? ":" + std::to_string(example.stride(i)) : "";
  }
  return text + placeOf(example, key) + ";";
}

std::string keyText(const ir::Graph& graph, const Examples& examples, const CacheKey& key) {
  std::vector<std::string> arguments;
  for (const at::Tensor& example : examples) {
    std::string text = described(example, key);
    for (size_t i = 0; i < examples.size() && key.sharing; ++i) {
      text += examples[i].storage().is_alias_of(example.storage()) ? "s" : "-";
    }
    arguments.push_back(std::move(text));
  }
  if (key.isSorted) {
    std::sort(arguments.begin(), arguments.end());
  }
  std::string text = numbersCounted(graph, key);
  for (const std::string& argument : arguments) {
    text += argument;
  }
  if (key.gradMode) {
    text += at::GradMode::is_enabled() ? "grad" : c10::InferenceMode::is_enabled() ? "inference" : "no_grad";
  }
  return text + (key.autocast && at::autocast::is_autocast_enabled(at::kCPU) ? "autocast" : "");
}

/// Compiled Graphs are kept, and taken again where a key says so. `from`: the number of the compile at which that begins.
CompilerChange cached(CacheKey key, size_t from = 0) {
  return [=](GraphCompiler compiler) -> GraphCompiler {
    auto known = std::make_shared<std::map<std::string, std::shared_ptr<const CompiledGraph>>>();
    auto count = std::make_shared<size_t>(0);
    return [=, compiler = std::move(compiler)](ir::Graph graph, const Examples& examples) {
      const std::string text = keyText(graph, examples, key);
      const auto found = known->find(text);
      if ((*count)++ >= from && found != known->end()) {
        return found->second;
      }
      const std::shared_ptr<const CompiledGraph> made = compiler(std::move(graph), examples);
      known->insert_or_assign(text, made);
      return made;
    };
  };
}

CacheKey without(void (*change)(CacheKey& key)) {
  CacheKey key;
  change(key);
  return key;
}

/// What was compiled assumes nothing of the memory of its arguments, or so it says.
class WithoutAssumptions final : public CompiledGraph {
 public:
  WithoutAssumptions(std::shared_ptr<const CompiledGraph> compiled, size_t from)
      : compiled_(std::move(compiled)), from_(from) {}
  Examples run(Examples inputs) const override { return compiled_->run(std::move(inputs)); }
  bool isCompiled() const override { return compiled_->isCompiled(); }
  std::vector<backends::Assumption> assumptions() const override {
    std::vector<backends::Assumption> assumptions = compiled_->assumptions();
    for (size_t i = from_; i < assumptions.size(); ++i) {
      assumptions[i] = backends::Assumption::kNone;
    }
    return assumptions;
  }

 private:
  std::shared_ptr<const CompiledGraph> compiled_;
  size_t from_;
};

CompilerChange unassuming(size_t from) {
  return [from](GraphCompiler compiler) -> GraphCompiler {
    return [from, compiler = std::move(compiler)](ir::Graph graph, const Examples& examples) {
      return std::make_shared<const WithoutAssumptions>(compiler(std::move(graph), examples), from);
    };
  };
}

} // namespace

NativeFaultList guardFaults() {
  constexpr FaultClass kClass = FaultClass::kGuards;
  return {
      {"sizes_unguarded", kClass, kMetadataStage, "code for other sizes is taken",
       "an argument has other sizes in a later call",
       cached(without([](CacheKey& key) { key.sizes = key.strides = false; }))},
      {"first_size_unguarded", kClass, kMetadataStage, "code for another first size is taken",
       "the first size alone changes", cached(without([](CacheKey& key) { key.unguardedDimension = 0; }))},
      {"second_size_unguarded", kClass, kMetadataStage, "code for another second size is taken",
       "the second size alone changes", cached(without([](CacheKey& key) {
         key.unguardedDimension = 1;
         key.strides = false;
       }))},
      {"sizes_beyond_one_unguarded", kClass, kMetadataStage, "code for sizes above 1 is taken for all of them",
       "a size above 1 changes to another", cached(without([](CacheKey& key) {
         key.onlyOneOrMany = true;
         key.strides = false;
       }))},
      {"strides_unguarded", kClass, kMetadataStage, "code for other strides is taken",
       "an argument is transposed in a later call", cached(without([](CacheKey& key) { key.strides = false; }))},
      {"dtype_unguarded", kClass, kMetadataStage, "code for another dtype is taken",
       "an argument has another dtype in a later call", cached(without([](CacheKey& key) { key.dtype = false; }))},
      {"requires_grad_unguarded", kClass, kMetadataStage, "code for arguments with another requires_grad is taken",
       "an argument requires grad in a later call, or no longer",
       cached(without([](CacheKey& key) { key.requiresGrad = false; }))},
      {"grad_mode_unguarded", kClass, kMetadataStage, "code for another grad mode is taken",
       "a call under no_grad comes first", cached(without([](CacheKey& key) { key.gradMode = false; }))},
      {"autocast_unguarded", kClass, kMetadataStage, "code for another state of autocast is taken",
       "a later call is under autocast", cached(without([](CacheKey& key) { key.autocast = false; }))},
      {"sharing_unguarded", kClass, kMetadataStage, "code for arguments apart is taken where they share memory",
       "a later call has arguments in one memory", cached(without([](CacheKey& key) { key.sharing = false; }))},
      {"numbers_unguarded", kClass, kCapturedStage, "code for other numbers is taken",
       "a number is an argument, or comes from a size, and changes",
       cached(without([](CacheKey& key) { key.constants = false; }))},
      {"numbers_guarded_by_remainder", kClass, kCapturedStage, "code for numbers that are the same modulo 4 is taken",
       "a number changes by a multiple of 4", cached(without([](CacheKey& key) { key.modulus = 4; }))},
      {"arguments_guarded_without_order", kClass, kMetadataStage, "code for arguments in another order is taken",
       "two arguments change places in a later call", cached(without([](CacheKey& key) {
         key.isSorted = true;
         key.sharing = false;
       }))},
      {"third_compile_takes_first", kClass, kMetadataStage, "from the third compile on sizes do not count",
       "a third size is called", cached(without([](CacheKey& key) { key.sizes = key.strides = false; }), 2)},
      {"sizes_and_gradients_unguarded", kClass, kMetadataStage,
       "code for other sizes is taken where no argument requires grad or another does",
       "sizes and requires_grad change",
       cached(without([](CacheKey& key) { key.sizes = key.strides = key.requiresGrad = false; }), 1)},
      {"memory_unguarded", kClass, kMetadataStage, "offset, leaf, view and sharing of arguments do not count",
       "an argument lies elsewhere in its memory, or is no leaf, in a later call", unassuming(0)},
      {"memory_of_later_arguments_unguarded", kClass, kMetadataStage,
       "offset, leaf, view and sharing of the second argument do not count",
       "the second argument lies elsewhere in its memory in a later call", unassuming(1)},
  };
}

} // namespace touchstone::faults
