#pragma once

#include "tests/tool/EdgeClasses.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <string_view>

/// What recognizers ask of a Case that eager has run.
namespace touchstone::tool {

using observe::Location;
using observe::StorageMember;
using observe::TensorObservation;

inline const observe::CallObservation& firstOf(const Sight& sight) {
  return sight.seen.calls.at(0);
}

inline bool contains(const Sight& sight, std::string_view text) {
  return sight.program.find(text) != std::string::npos;
}
inline bool containsAny(const Sight& sight, std::initializer_list<std::string_view> texts) {
  return std::ranges::any_of(texts, [&](std::string_view text) { return contains(sight, text); });
}
inline size_t count(const Sight& sight, std::string_view text) {
  size_t found = 0;
  for (size_t at = 0; (at = sight.program.find(text, at)) != std::string::npos; at += text.size()) {
    ++found;
  }
  return found;
}

inline bool mentionsCall(const Sight& sight, const std::function<bool(const language::CallSpec&)>& holds) {
  return std::ranges::any_of(sight.theCase.calls, holds);
}

/// A method with an underscore that writes elements, not sizes alone.
inline bool writesElements(const Sight& sight) {
  static constexpr std::array kViews{"t_",         "transpose_",  "swapaxes_", "swapdims_",      "squeeze_",
                                     "unsqueeze_", "as_strided_", "set_",      "requires_grad_", "detach_",
                                     "resize_",    "resize_as_"};
  for (size_t at = 0; (at = sight.program.find("_(", at)) != std::string::npos; ++at) {
    size_t begin = at;
    while (begin > 0 && (std::isalnum(static_cast<unsigned char>(sight.program[begin - 1])) != 0 ||
                         sight.program[begin - 1] == '_')) {
      --begin;
    }
    const std::string name = sight.program.substr(begin, at + 1 - begin);
    if (std::ranges::find(kViews, name) == kViews.end()) {
      return true;
    }
  }
  return containsAny(sight, {"] = ", " += ", " *= ", " -= ", " /= ", "out="});
}

/// How many arguments can be told apart before and after the first call.
inline size_t arguments(const Sight& sight) {
  return std::min(sight.given.size(), firstOf(sight).arguments.size());
}
inline bool written(const Sight& sight, size_t index) {
  return firstOf(sight).arguments[index].versionBumped;
}
inline bool turned(const Sight& sight, size_t index) {
  const TensorObservation& after = firstOf(sight).arguments[index];
  const at::Tensor& before = sight.given[index];
  return before.layout() == at::kStrided &&
         (before.sizes() != at::IntArrayRef(after.sizes) || before.strides() != at::IntArrayRef(after.strides) ||
          before.storage_offset() != after.offset);
}
inline bool overwritten(const Sight& sight, size_t index) {
  return written(sight, index) && writesElements(sight);
}
template <class Holds>
bool anyArgument(const Sight& sight, const Holds& holds) {
  for (size_t index = 0; index < arguments(sight); ++index) {
    if (holds(index)) {
      return true;
    }
  }
  return false;
}
template <class Holds>
bool anyTwoArguments(const Sight& sight, const Holds& holds) {
  return anyArgument(sight, [&](size_t one) {
    return anyArgument(sight, [&](size_t other) { return one != other && holds(one, other); });
  });
}

inline const StorageMember* memberOf(const Sight& sight, Location::Role role, size_t index) {
  for (const StorageMember& member : firstOf(sight).partition) {
    if (member.location == Location{role, static_cast<int>(index)}) {
      return &member;
    }
  }
  return nullptr;
}
inline bool share(const StorageMember* one, const StorageMember* other) {
  return one != nullptr && other != nullptr && one->storage == other->storage;
}
inline const StorageMember* argument(const Sight& sight, size_t index) {
  return memberOf(sight, Location::Role::kArgument, index);
}
inline const StorageMember* output(const Sight& sight, size_t index) {
  return memberOf(sight, Location::Role::kOutput, index);
}
inline bool argumentsShare(const Sight& sight, size_t one, size_t other) {
  return share(argument(sight, one), argument(sight, other)) && !sight.given[one].is_same(sight.given[other]);
}
/// An output, no argument itself, in the memory of this argument.
template <class Holds>
bool anyViewOf(const Sight& sight, size_t index, const Holds& holds) {
  const StorageMember* given = argument(sight, index);
  for (size_t each = 0; each < firstOf(sight).outputs.size(); ++each) {
    const StorageMember* returned = output(sight, each);
    if (share(given, returned) && given->object != returned->object && holds(firstOf(sight).outputs[each])) {
      return true;
    }
  }
  return false;
}
inline bool hasView(const Sight& sight, size_t index) {
  return anyViewOf(sight, index, [](const TensorObservation&) { return true; });
}

/// Outputs by storage that is no input's.
inline std::map<int, std::vector<size_t>> hiddenStorages(const Sight& sight) {
  std::map<int, std::vector<size_t>> storages;
  for (const StorageMember& member : firstOf(sight).partition) {
    const bool isInput = std::ranges::any_of(firstOf(sight).partition, [&](const StorageMember& other) {
      return other.storage == member.storage && other.location.role != Location::Role::kOutput;
    });
    if (!isInput && member.endByte > member.firstByte) {
      storages[member.storage].push_back(static_cast<size_t>(member.location.index));
    }
  }
  return storages;
}
template <class Holds>
bool anyHidden(const Sight& sight, const Holds& holds) {
  for (const auto& [storage, outputs] : hiddenStorages(sight)) {
    if (holds(outputs)) {
      return true;
    }
  }
  return false;
}
/// Two outputs of one hidden storage, of which this holds.
template <class Holds>
bool anyHiddenPair(const Sight& sight, const Holds& holds) {
  return anyHidden(sight, [&](const std::vector<size_t>& outputs) {
    return std::ranges::any_of(outputs, [&](size_t one) {
      return std::ranges::any_of(outputs, [&](size_t other) { return one < other && holds(one, other); });
    });
  });
}
inline bool isSameObject(const Sight& sight, size_t one, size_t other) {
  return output(sight, one)->object == output(sight, other)->object;
}
inline bool hasHiddenViews(const Sight& sight) {
  return anyHiddenPair(sight, [&](size_t one, size_t other) { return !isSameObject(sight, one, other); });
}
inline bool requiresGrad(const Sight& sight, size_t each) {
  return firstOf(sight).outputs[each].requiresGrad;
}
inline bool differInGrad(const Sight& sight) {
  return anyHiddenPair(sight, [&](size_t one, size_t other) {
    return !isSameObject(sight, one, other) && requiresGrad(sight, one) != requiresGrad(sight, other);
  });
}
inline bool anyRequiresGrad(const Sight& sight) {
  return std::ranges::any_of(sight.given, [](const at::Tensor& tensor) { return tensor.requires_grad(); });
}
inline bool makesPieces(const Sight& sight) {
  return containsAny(sight, {"unbind(", "split(", "chunk(", "split_with_sizes(", "tensor_split("});
}
inline bool makesViews(const Sight& sight) {
  return makesPieces(sight) || containsAny(sight, {".view(", ".view_as(", ".t()", "transpose(", "permute(", "squeeze(",
                                                   "expand(", "[", "as_strided(", "select(", "narrow(", "diagonal(",
                                                   "reshape(", "unfold(", "movedim(", "swapaxes("});
}
inline bool turnsInPlace(const Sight& sight) {
  return containsAny(sight, {".t_(", "transpose_(", "squeeze_(", "swapaxes_(", "swapdims_(", "as_strided_("});
}
inline bool hasModule(const Sight& sight) {
  return std::ranges::any_of(sight.theCase.functions, [](const language::Function& function) {
    return language::isInputsName(function.name) &&
           language::anyExpression(function.body, [](const language::Expr& expression) {
             return expression.kind == language::ExprKind::kAttribute && expression.text.size() > 1 &&
                    std::isupper(static_cast<unsigned char>(expression.text[0])) != 0 && expression.text != "Tensor";
           });
  });
}
inline bool hasPendingWrite(const Sight& sight) {
  return mentionsCall(sight, [](const language::CallSpec& call) { return call.between.has_value(); });
}
inline bool goesBackward(const Sight& sight) {
  return mentionsCall(sight, [](const language::CallSpec& call) { return call.backward && !call.backward->empty(); });
}

} // namespace touchstone::tool
