#include "program/torch_names/NameResolver.h"

#include "base/EditDistance.h"
#include "program/torch_names/AtenNames.h"
#include "program/torch_names/DenyList.h"
#include "program/torch_names/HandWritten.h"
#include "program/torch_names/OperatorCall.h"
#include "program/values/RaiseError.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <unordered_map>

namespace touchstone::torch_names {
namespace {

constexpr int kNameSpaceCount = static_cast<int>(NameSpace::kAten) + 1;

/// What a name of a space calls; one of the three, or nothing.
struct NamedTarget {
  std::unique_ptr<HandFunction> hand;
  const SignatureGroup* group = nullptr;
  const char* forbidden = nullptr; // the reason
};

std::string_view pythonPrefix(NameSpace space) {
  switch (space) {
    case NameSpace::kTorch: return "torch";
    case NameSpace::kMethod: return "Tensor";
    case NameSpace::kFunctional: return "torch.nn.functional";
    case NameSpace::kLinalg: return "torch.linalg";
    case NameSpace::kFft: return "torch.fft";
    case NameSpace::kSpecial: return "torch.special";
    case NameSpace::kAten: return "torch.ops.aten";
  }
  return "torch";
}

std::array<c10::ArrayRef<HandWritten>, 9> handTables() {
  return {tensorMethods(), conversionMethods(), torchFunctions(),         creationFunctions(),  activationFunctions(),
          lossFunctions(), poolingFunctions(),  normalizationFunctions(), resamplingFunctions()};
}

const HandWritten* findHandWritten(NameSpace space, const std::string& name) {
  static const auto* const index = [] {
    auto* result = new std::array<std::unordered_map<std::string, const HandWritten*>, kNameSpaceCount>();
    for (c10::ArrayRef<HandWritten> table : handTables()) {
      for (const HandWritten& written : table) {
        (*result)[static_cast<int>(written.space)].emplace(written.name, &written);
      }
    }
    return result;
  }();
  const auto& names = (*index)[static_cast<int>(space)];
  auto found = names.find(name);
  return found == names.end() ? nullptr : found->second;
}

// The name of a function of torch.linalg and its like in the table: `linalg_det`.
struct PrefixedTable {
  NameSpace space;
  TableSpace table;
  std::string_view prefix;
};
constexpr PrefixedTable kPrefixedTables[] = {
    {NameSpace::kTorch, TableSpace::kTorch, ""},
    {NameSpace::kMethod, TableSpace::kMethod, ""},
    {NameSpace::kLinalg, TableSpace::kLinalg, "linalg_"},
    {NameSpace::kFft, TableSpace::kFft, "fft_"},
    {NameSpace::kSpecial, TableSpace::kSpecial, "special_"},
};

std::set<std::string> wordsOf(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

// Functions of torch.nn.functional that are functions of `torch` or of `torch._C._nn`.
const std::map<TableSpace, std::set<std::string>>& functionalNamesOfTables() {
  static const std::map<TableSpace, std::set<std::string>> names = {
      {TableSpace::kTorch,
       wordsOf("conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d "
               "adaptive_avg_pool1d avg_pool1d bilinear celu_ channel_shuffle cosine_similarity hardshrink "
               "native_channel_shuffle pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu relu_ rrelu_ "
               "selu_ threshold_")},
      {TableSpace::kNn, wordsOf("avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear logsigmoid one_hot "
                                "scaled_dot_product_attention softplus softshrink")},
  };
  return names;
}

const SignatureGroup* findGroup(NameSpace space, const std::string& name) {
  for (const PrefixedTable& table : kPrefixedTables) {
    if (table.space == space) {
      return findSignatures(table.table, std::string(table.prefix) + name);
    }
  }
  for (const auto& [table, names] : functionalNamesOfTables()) {
    if (space == NameSpace::kFunctional && names.contains(name)) {
      return findSignatures(table, name == "logsigmoid" ? "log_sigmoid" : name);
    }
  }
  return nullptr;
}

const NamedTarget& findTarget(NameSpace space, const std::string& name) {
  static auto* const cache = new std::array<std::unordered_map<std::string, NamedTarget>, kNameSpaceCount>();
  auto& names = (*cache)[static_cast<int>(space)];
  auto found = names.find(name);
  if (found != names.end()) {
    return found->second;
  }
  NamedTarget target;
  target.forbidden = denialReason(space, name);
  if (!target.forbidden) {
    if (const HandWritten* written = findHandWritten(space, name)) {
      target.hand = std::make_unique<HandFunction>(*written);
    } else {
      target.group = findGroup(space, name);
    }
    if (!target.hand && !target.group) {
      static const NamedTarget unknown;
      return unknown; // a stranger's names are not kept
    }
  }
  return names.emplace(name, std::move(target)).first->second;
}

[[noreturn]] void raiseUnknown(NameSpace space, const std::string& name) {
  if (space == NameSpace::kMethod) {
    values::raiseError("AttributeError", "'Tensor' object has no attribute '{}'", name);
  }
  values::raiseError("AttributeError", "module '{}' has no attribute '{}'", pythonPrefix(space), name);
}

[[noreturn]] void raiseForbidden(NameSpace space, const std::string& name, const char* reason) {
  values::raiseError("RuntimeError", "`{}.{}` may not be used in a case: {}", pythonPrefix(space), name, reason);
}

} // namespace

std::optional<OperatorName> operatorName(c10::ArrayRef<const std::string*> path) {
  const auto isIn = [&](std::string_view first, std::string_view second) {
    return path.size() >= 3 && *path[0] == first && *path[1] == second;
  };
  if (path.size() == 1) {
    return OperatorName{NameSpace::kTorch, *path[0]};
  }
  if (path.size() == 2) {
    for (const NameSpace space : {NameSpace::kLinalg, NameSpace::kFft, NameSpace::kSpecial}) {
      if (pythonPrefix(space).substr(sizeof("torch")) == *path[0]) {
        return OperatorName{space, *path[1]};
      }
    }
  }
  if (path.size() == 3 && isIn("nn", "functional")) {
    return OperatorName{NameSpace::kFunctional, *path[2]};
  }
  if (path.size() <= 4 && isIn("ops", "aten")) {
    return OperatorName{NameSpace::kAten, path.size() == 3 ? *path[2] : *path[2] + "." + *path[3]};
  }
  return std::nullopt;
}

NameStatus nameStatus(NameSpace space, const std::string& name, std::vector<std::string>* near) {
  NameStatus status = NameStatus::kUnknown;
  if (space == NameSpace::kAten) {
    status = atenNameStatus(name);
  } else {
    const NamedTarget& target = findTarget(space, name);
    if (target.forbidden) {
      status = NameStatus::kForbidden;
    } else if (target.hand || target.group) {
      status = NameStatus::kKnown;
    }
  }
  if (near && status == NameStatus::kUnknown) {
    *near = base::namesNear(name, knownNames(space), std::max(2, static_cast<int>(name.size()) / 3), 5);
  }
  return status;
}

std::vector<std::string> knownNames(NameSpace space) {
  if (space == NameSpace::kAten) {
    return knownAtenNames();
  }
  std::vector<std::string> names;
  for (const PrefixedTable& table : kPrefixedTables) {
    if (table.space == space) {
      for (const std::string& name : tableNames(table.table)) {
        if (name.starts_with(table.prefix)) {
          names.push_back(name.substr(table.prefix.size()));
        }
      }
    }
  }
  for (c10::ArrayRef<HandWritten> table : handTables()) {
    for (const HandWritten& written : table) {
      if (written.space == space) {
        names.emplace_back(written.name);
      }
    }
  }
  if (space == NameSpace::kFunctional) {
    for (const auto& [table, shared] : functionalNamesOfTables()) {
      names.insert(names.end(), shared.begin(), shared.end());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase_if(names, [space](const std::string& name) { return denialReason(space, name) != nullptr; });
  return names;
}

values::Value callNamed(NameSpace space, const std::string& name, const values::ValueList& positional,
                        const KeywordList& keywords, const Dispatch& dispatch) {
  if (space == NameSpace::kAten) {
    return callAtenNamed(name, positional, keywords, dispatch);
  }
  const NamedTarget& target = findTarget(space, name);
  if (target.hand) {
    return target.hand->call(positional, keywords, dispatch);
  }
  if (target.group) {
    if (target.group->isMethod) {
      if (positional.empty() || !positional[0].isTensor()) {
        values::raiseError("TypeError", "descriptor '{}' of a Tensor needs a tensor", name);
      }
      return callGroup(*target.group, &positional[0], c10::ArrayRef<values::Value>(positional).slice(1), keywords,
                       dispatch);
    }
    return callGroup(*target.group, nullptr, positional, keywords, dispatch);
  }
  if (target.forbidden) {
    raiseForbidden(space, name, target.forbidden);
  }
  raiseUnknown(space, name);
}

} // namespace touchstone::torch_names
