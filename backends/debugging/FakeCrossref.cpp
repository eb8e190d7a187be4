#include "backends/debugging/FakeCrossref.h"

#include "backends/aot_autograd/TracedArguments.h"
#include "backends/debugging/BoxedNop.h"
#include "backends/fake/EffectfulOperators.h"
#include "backends/fake/OperatorTraits.h"
#include "backends/fake/TensorMemory.h"
#include "graph/ir/Geometry.h"
#include "graph/runtime/Interpreter.h"
#include "program/values/CompiledProgram.h"
#include "program/values/RaisedException.h"
#include "program/values/TensorWalk.h"

#include <ATen/core/enum_tag.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace touchstone::debugging {

namespace {

constexpr std::array<std::string_view, 5> kNotCompared{
    "aten::lift_fresh", "aten::lift_fresh_copy", "aten::set_.source_Storage_storage_offset",
    "touchstone__case_::while_loop", // results lie where the number of its steps says
    "touchstone__case_::cond_backward"}; // and as the branch that was taken lays them out
constexpr std::array<at::Tag, 3> kUnknownResults{at::Tag::dynamic_output_shape, at::Tag::data_dependent_output,
                                                 at::Tag::inplace_view};

// Under one of these a kernel is there that takes tensors without values.
constexpr std::array<c10::DispatchKey, 4> kMetaKernels{
    c10::DispatchKey::Meta, c10::DispatchKey::CompositeExplicitAutograd,
    c10::DispatchKey::CompositeExplicitAutogradNonFunctional, c10::DispatchKey::CompositeImplicitAutograd};

bool isComparable(const c10::OperatorHandle& op) {
  if (fake::traitsOf(op).isEffect || fake::isEffectful(fake::targetOf(op))) {
    return false; // it would have its effect twice
  }
  return std::any_of(kMetaKernels.begin(), kMetaKernels.end(),
                     [&](c10::DispatchKey key) { return op.hasKernelForDispatchKey(key); }) &&
         std::find(kNotCompared.begin(), kNotCompared.end(), fake::targetOf(op)) == kNotCompared.end() &&
         std::none_of(kUnknownResults.begin(), kUnknownResults.end(), [&](at::Tag tag) { return op.hasTag(tag); });
}

std::vector<at::Tensor> tensorsOfStack(const torch::jit::Stack& stack) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& value : stack) {
    const std::vector<at::Tensor> inValue = values::definedTensors(value);
    tensors.insert(tensors.end(), inValue.begin(), inValue.end());
  }
  return tensors;
}

/// The same call on fake tensors without values.
class FakeCall {
 public:
  FakeCall(const c10::OperatorHandle& op, const torch::jit::Stack& arguments) : tracer_(fake::Backing::kMeta) {
    values::ValueList values;
    std::vector<std::string> names;
    std::unordered_map<const c10::TensorImpl*, size_t> positions;
    for (const at::Tensor& tensor : tensorsOfStack(arguments)) {
      const bool isNumber = tensor.unsafeGetTensorImpl()->is_wrapped_number();
      if (!isNumber && positions.try_emplace(tensor.unsafeGetTensorImpl(), values.size()).second) {
        values.emplace_back(tensor);
        names.push_back("argument");
      }
    }
    const aot_autograd::TracedArguments traced = aot_autograd::traceArguments(tracer_, values, names);
    for (const c10::IValue& argument : arguments) {
      stack_.push_back(values::mapTensors(argument, [&](const at::Tensor& tensor) {
        const auto known = tensor.defined() ? positions.find(tensor.unsafeGetTensorImpl()) : positions.end();
        return known == positions.end() ? tensor : traced.values[known->second].tensor();
      }));
    }
    arguments_ = tensorsOfStack(stack_);
    fake::Tracer::Scope scope(tracer_);
    op.callBoxed(&stack_);
    results_ = tensorsOfStack(stack_);
  }
  /// As they were given; an operator may have moved them.
  const std::vector<at::Tensor>& arguments() const { return arguments_; }
  const std::vector<at::Tensor>& results() const { return results_; }

 private:
  fake::Tracer tracer_; // outlives the fake tensors
  torch::jit::Stack stack_;
  std::vector<at::Tensor> arguments_, results_;
};

bool shareStorage(const at::Tensor& left, const at::Tensor& right) {
  const auto real = [](const at::Tensor& tensor) {
    const fake::FakeTensorImpl* fake = fake::fakeOf(tensor);
    return fake != nullptr ? fake->backing() : tensor;
  };
  return fake::shareMemory(real(left), real(right));
}

/// Which results lie in an argument's memory, which are an argument, which lie in another result's memory.
struct AliasPattern {
  AliasPattern(const std::vector<at::Tensor>& results, const std::vector<at::Tensor>& arguments) {
    for (size_t i = 0; i < results.size(); ++i) {
      for (const at::Tensor& argument : arguments) {
        withArguments.push_back(shareStorage(results[i], argument));
        areArguments.push_back(results[i].is_same(argument));
      }
      for (size_t j = 0; j < i; ++j) {
        withEachOther.push_back(shareStorage(results[i], results[j]));
      }
    }
  }
  std::vector<bool> withArguments, areArguments, withEachOther;
};

class Comparison {
 public:
  explicit Comparison(const c10::OperatorHandle& op)
      : context_("When comparing the output of " + fake::targetOf(op) + " on FakeTensor and concrete Tensors, found ") {
  }

  void compare(const std::vector<at::Tensor>& realArguments, const std::vector<at::Tensor>& real,
               const FakeCall& fakeCall) const {
    const std::vector<at::Tensor>& fake = fakeCall.results();
    if (real.size() != fake.size()) {
      fail(fmt::format("mismatch in number of returns {} != {}", fake.size(), real.size()));
    }
    const AliasPattern ofReal(real, realArguments), ofFake(fake, fakeCall.arguments());
    failUnless(ofReal.withArguments == ofFake.withArguments, "mismatch in outputs_alias_inputs check");
    failUnless(ofReal.areArguments == ofFake.areArguments, "mismatch in outputs_are_inputs check");
    failUnless(ofReal.withEachOther == ofFake.withEachOther, "mismatch in outputs_alias_each_other check");
    for (size_t i = 0; i < real.size(); ++i) {
      const std::string difference = differenceOf(runtime::metadataOf(real[i]), runtime::metadataOf(fake[i]));
      if (!difference.empty()) {
        fail("mismatched tensor metadata" + (real.size() == 1 ? std::string() : fmt::format(" for output[{}]", i)) +
             ": " + difference);
      }
    }
  }

  [[noreturn]] void fail(const std::string& text) const { throw MetadataMismatch(context_ + text); }

 private:
  void failUnless(bool holds, const char* text) const {
    if (!holds) {
      fail(text);
    }
  }

  static std::string differenceOf(const ir::TensorMetadata& real, const ir::TensorMetadata& fake) {
    if (!(real.dtype == fake.dtype)) {
      return fmt::format("dtype {} is {} on fake tensors", ir::dtypeName(real.dtype), ir::dtypeName(fake.dtype));
    }
    if (real.sizes != fake.sizes) {
      return fmt::format("sizes {} are {} on fake tensors", real.sizes, fake.sizes);
    }
    if (ir::elementCount(real) == 0) {
      return "";
    }
    if (!ir::sameSignificantLayout(real, fake)) {
      return fmt::format("strides {} are {} on fake tensors", real.strides, fake.strides);
    }
    if (real.offset != fake.offset) {
      return fmt::format("storage offset {} is {} on fake tensors", real.offset, fake.offset);
    }
    return "";
  }

  std::string context_;
};

} // namespace

bool ignoreBuiltins(const c10::OperatorHandle& op) {
  const std::string& name = op.schema().name();
  const std::string space = name.substr(0, name.find("::"));
  return space == "aten" || space == "prims" || space == "prim";
}

void FakeCrossref::onOperator(const ir::Node&, const c10::OperatorHandle& op, torch::jit::Stack& stack,
                              const std::function<void()>& next) {
  if (!isComparable(op) || (ignore_ && ignore_(op))) {
    return next();
  }
  std::optional<FakeCall> fake;
  std::string raised;
  try {
    fake.emplace(op, stack);
  } catch (const ir::Unsupported&) { // nothing to compare with
  } catch (const values::RaisedException& error) { // by a function of the Program that stands for the operator
    const bool isThere = error.message().find("There was no fake impl registered") == std::string::npos;
    raised = isThere ? error.what() : "";
  } catch (const c10::Error& error) {
    raised = error.what_without_backtrace();
  }
  const std::vector<at::Tensor> arguments = tensorsOfStack(stack);
  next(); // where this raises, so may the other
  if (!raised.empty()) {
    Comparison(op).fail("that only the fake call raises: " + raised);
  }
  if (fake) {
    Comparison(op).compare(arguments, tensorsOfStack(stack), *fake);
  }
}

backends::GraphCompiler fakeCrossrefBoxedNop(IgnoredOperator ignore) {
  return boxedNop(std::make_shared<FakeCrossref>(std::move(ignore)));
}

std::shared_ptr<runtime::CallMode> crossrefMode(CrossrefChoice choice) {
  switch (choice) {
    case CrossrefChoice::kAll: return std::make_shared<FakeCrossref>();
    case CrossrefChoice::kCustomOperators: return std::make_shared<FakeCrossref>(ignoreBuiltins);
    case CrossrefChoice::kOff: break;
  }
  return nullptr;
}

backends::GraphCompiler nopFunction(CrossrefChoice choice) {
  return boxedNop(crossrefMode(choice));
}

} // namespace touchstone::debugging
