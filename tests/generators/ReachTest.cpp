#include "generators/decoder/Decoder.h"
#include "program/evaluator/Evaluator.h"
#include "program/language/CasePrinter.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace touchstone::tests {
namespace {

/// What one eager run of a Case's base call shows.
struct Sight {
  language::Case theCase;
  decoder::DecodeStatistics statistics;
  std::vector<at::Tensor> arguments, outputs;
  std::string program;
  bool hasModule = false;
};

int64_t firstByte(const at::Tensor& tensor) {
  return tensor.storage_offset() * static_cast<int64_t>(tensor.element_size());
}

int64_t endByte(const at::Tensor& tensor) {
  int64_t last = tensor.storage_offset();
  for (int64_t dimension = 0; dimension < tensor.dim(); ++dimension) {
    last += (tensor.size(dimension) - 1) * tensor.stride(dimension);
  }
  return (last + 1) * static_cast<int64_t>(tensor.element_size());
}

bool share(const at::Tensor& left, const at::Tensor& right) {
  return left.numel() > 0 && right.numel() > 0 && left.storage().is_alias_of(right.storage());
}

template <class Predicate>
bool anyPair(const std::vector<at::Tensor>& left, const std::vector<at::Tensor>& right, bool sameList,
             Predicate predicate) {
  for (size_t first = 0; first < left.size(); ++first) {
    for (size_t second = sameList ? first + 1 : 0; second < right.size(); ++second) {
      if (predicate(left[first], right[second])) {
        return true;
      }
    }
  }
  return false;
}

bool anyCall(const Sight& sight, bool (*predicate)(const language::CallSpec&)) {
  return std::any_of(sight.theCase.calls.begin(), sight.theCase.calls.end(), predicate);
}

bool anyTensor(const Sight& sight, bool (*predicate)(const at::Tensor&)) {
  return std::any_of(sight.arguments.begin(), sight.arguments.end(), predicate) ||
         std::any_of(sight.outputs.begin(), sight.outputs.end(), predicate);
}

bool contains(const Sight& sight, const std::string& text) {
  return sight.program.find(text) != std::string::npos;
}

struct Shape {
  const char* name;
  bool (*isIn)(const Sight&);
};

const Shape kShapes[] = {
    {"an argument with an offset",
     [](const Sight& sight) {
       return std::any_of(sight.arguments.begin(), sight.arguments.end(),
                          [](const at::Tensor& argument) { return argument.storage_offset() > 0; });
     }},
    {"two arguments overlap in part",
     [](const Sight& sight) {
       return anyPair(sight.arguments, sight.arguments, true, [](const at::Tensor& left, const at::Tensor& right) {
         return share(left, right) && firstByte(left) != firstByte(right) && firstByte(left) < endByte(right) &&
                firstByte(right) < endByte(left);
       });
     }},
    {"two arguments of one storage are disjoint",
     [](const Sight& sight) {
       return anyPair(sight.arguments, sight.arguments, true, [](const at::Tensor& left, const at::Tensor& right) {
         return share(left, right) && (endByte(left) <= firstByte(right) || endByte(right) <= firstByte(left));
       });
     }},
    {"two arguments of the same geometry",
     [](const Sight& sight) {
       return anyPair(sight.arguments, sight.arguments, true, [](const at::Tensor& left, const at::Tensor& right) {
         return share(left, right) && !left.is_same(right) && firstByte(left) == firstByte(right) &&
                left.sizes() == right.sizes() && left.strides() == right.strides();
       });
     }},
    {"two arguments of one storage and different dtypes",
     [](const Sight& sight) {
       return anyPair(sight.arguments, sight.arguments, true, [](const at::Tensor& left, const at::Tensor& right) {
         return share(left, right) && left.scalar_type() != right.scalar_type();
       });
     }},
    {"the same tensor twice",
     [](const Sight& sight) {
       return anyPair(sight.arguments, sight.arguments, true,
                      [](const at::Tensor& left, const at::Tensor& right) { return left.is_same(right); });
     }},
    {"an argument that is not a leaf",
     [](const Sight& sight) {
       return std::any_of(sight.arguments.begin(), sight.arguments.end(),
                          [](const at::Tensor& argument) { return !argument.is_leaf(); });
     }},
    {"an expanded argument",
     [](const Sight& sight) {
       return std::any_of(sight.arguments.begin(), sight.arguments.end(), [](const at::Tensor& argument) {
         for (int64_t dimension = 0; dimension < argument.dim(); ++dimension) {
           if (argument.size(dimension) > 1 && argument.stride(dimension) == 0) {
             return true;
           }
         }
         return false;
       });
     }},
    {"a write through a chain of views",
     [](const Sight& sight) {
       const auto& accepted = sight.statistics.accepted;
       return std::find(accepted.begin(), accepted.end(), "view_chain_mul_") != accepted.end();
     }},
    {"an operator that returns its operand", [](const Sight& sight) { return contains(sight, "training=False"); }},
    {"a region without gradients", [](const Sight& sight) { return contains(sight, "with torch.no_grad()"); }},
    {"an output that is an argument",
     [](const Sight& sight) {
       return anyPair(sight.outputs, sight.arguments, false,
                      [](const at::Tensor& output, const at::Tensor& argument) { return output.is_same(argument); });
     }},
    {"an output that is a view of an argument",
     [](const Sight& sight) {
       return anyPair(sight.outputs, sight.arguments, false, [](const at::Tensor& output, const at::Tensor& argument) {
         return share(output, argument) && !output.is_same(argument);
       });
     }},
    {"two outputs that share memory",
     [](const Sight& sight) {
       return anyPair(sight.outputs, sight.outputs, true, [](const at::Tensor& left, const at::Tensor& right) {
         return share(left, right) && !left.is_same(right);
       });
     }},
    {"the same output twice",
     [](const Sight& sight) {
       return anyPair(sight.outputs, sight.outputs, true,
                      [](const at::Tensor& left, const at::Tensor& right) { return left.is_same(right); });
     }},
    {"backward through a subset of several outputs",
     [](const Sight& sight) {
       return std::any_of(sight.theCase.calls.begin(), sight.theCase.calls.end(), [&](const language::CallSpec& call) {
         const auto differentiable = std::count_if(sight.outputs.begin(), sight.outputs.end(),
                                                   [](const at::Tensor& output) { return output.requires_grad(); });
         return call.backward && !call.backward->empty() &&
                static_cast<int64_t>(call.backward->size()) < differentiable;
       });
     }},
    {"a mutated argument as a root",
     [](const Sight& sight) {
       return anyCall(sight, [](const language::CallSpec& call) {
         return call.backward && std::any_of(call.backward->begin(), call.backward->end(),
                                             [](const language::BackwardRoot& root) { return root.isArgument; });
       });
     }},
    {"transposed tangents",
     [](const Sight& sight) {
       return anyCall(sight, [](const language::CallSpec& call) {
         return call.tangentLayout == language::TangentLayout::kTransposed;
       });
     }},
    {"gapped tangents",
     [](const Sight& sight) {
       return anyCall(sight, [](const language::CallSpec& call) {
         return call.tangentLayout == language::TangentLayout::kGapped;
       });
     }},
    {"a write between forward and backward",
     [](const Sight& sight) {
       return anyCall(sight, [](const language::CallSpec& call) { return call.between.has_value(); });
     }},
    {"the previous call's objects again",
     [](const Sight& sight) { return anyCall(sight, [](const language::CallSpec& call) { return !call.inputs; }); }},
    {"three calls with one changed",
     [](const Sight& sight) {
       return sight.theCase.calls.size() >= 3 &&
              anyCall(sight, [](const language::CallSpec& call) { return call.inputs && *call.inputs != "inputs"; });
     }},
    {"as_strided after a write",
     [](const Sight& sight) {
       const size_t write = std::min(sight.program.find(".add_("), sight.program.find(".mul_("));
       return write != std::string::npos && sight.program.find("as_strided(", write) != std::string::npos;
     }},
    {"sizes or strides read",
     [](const Sight& sight) { return contains(sight, ".stride(") || contains(sight, ".shape"); }},
    {"memory exchanged for another tensor's", [](const Sight& sight) { return contains(sight, "aten.set_"); }},
    {"memory of another size", [](const Sight& sight) { return contains(sight, ".resize_("); }},
    {"a hook", [](const Sight& sight) { return contains(sight, ".register_hook("); }},
    {"a custom function", [](const Sight& sight) { return contains(sight, ".apply("); }},
    {"a gradient taken inside, of what depends on something else",
     [](const Sight& sight) {
       const size_t at = sight.program.find("torch.autograd.grad(");
       const size_t name = at + std::string("torch.autograd.grad(").size();
       const size_t end = at == std::string::npos ? at : sight.program.find(".sum(), [", name);
       return end != std::string::npos &&
              sight.program.find("[" + sight.program.substr(name, end - name) + "]", end) != end + 8;
     }},
    {"inference mode", [](const Sight& sight) { return contains(sight, "with torch.inference_mode()"); }},
    {"a module record", [](const Sight& sight) { return sight.hasModule; }},
    {"five dimensions",
     [](const Sight& sight) { return anyTensor(sight, [](const at::Tensor& tensor) { return tensor.dim() == 5; }); }},
    {"no elements",
     [](const Sight& sight) { return anyTensor(sight, [](const at::Tensor& tensor) { return tensor.numel() == 0; }); }},
    {"complex numbers",
     [](const Sight& sight) { return anyTensor(sight, [](const at::Tensor& tensor) { return tensor.is_complex(); }); }},
    {"a wide unsigned type",
     [](const Sight& sight) {
       return anyTensor(sight,
                        [](const at::Tensor& tensor) { return at::isBarebonesUnsignedType(tensor.scalar_type()); });
     }},
    {"a region in a region",
     [](const Sight& sight) { return contains(sight, "with torch.no_grad():\n        with torch.enable_grad():"); }},
    {"a number read from values",
     [](const Sight& sight) { return contains(sight, ".sum().item()") || contains(sight, "= int("); }},
    {"a kept rejection", [](const Sight& sight) { return sight.outputs.empty() && sight.program.empty(); }},
};

TEST(ReachTest, EveryShapeIsReached) {
  at::set_num_threads(1);
  std::map<std::string, int> reached;
  for (uint64_t index = 0; index < 4000; ++index) { // half of them without parts: some shapes are of loose Programs
    Sight sight;
    decoder::DecodeOptions options;
    options.features =
        catalogue::featuresOf(31, index, index % 4 < 2 ? catalogue::partsOf({"all"}) : catalogue::Parts());
    options.statistics = &sight.statistics;
    sight.theCase = decoder::decode(catalogue::makeRecipe(31, index, options.features), options);
    try {
      evaluator::Evaluator evaluator(sight.theCase);
      const evaluator::InputSet inputs =
          evaluator.makeInputs("inputs", sight.theCase.calls[0].seed, sight.theCase.calls[0].kind);
      for (const values::Value& argument : inputs.arguments) {
        values::collectTensors(argument, sight.arguments);
        sight.hasModule |= argument.maybe<values::ModulePtr>() != nullptr;
      }
      values::collectTensors(evaluator.call("program", inputs.arguments), sight.outputs);
      sight.program = language::printFunction(sight.theCase.program());
    } catch (const std::exception&) {
      ++reached["a kept rejection"];
      continue;
    }
    for (const Shape& shape : kShapes) {
      reached[shape.name] += shape.isIn(sight);
    }
  }
  for (const Shape& shape : kShapes) {
    EXPECT_GE(reached[shape.name], 5) << shape.name;
  }
}

} // namespace
} // namespace touchstone::tests
