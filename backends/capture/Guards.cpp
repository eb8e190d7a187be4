#include "backends/capture/Guards.h"

#include "backends/arguments/Containers.h"
#include "backends/capture/GuardTexts.h"
#include "backends/capture/GuardWalk.h"
#include "backends/sources/LocalSources.h"
#include "program/values/CompiledProgram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace touchstone::capture {

using values::Value;

/// A container's type, keys and names, without the values.
bool Guards::sameShape(const Node& node, const Value& value) {
  const Value& like = node.like;
  if (like.payload().index() != value.payload().index()) {
    return false;
  }
  if (const auto* tuple = like.maybe<values::TuplePtr>()) {
    const auto& other = value.as<values::TuplePtr>();
    return (*tuple)->isSize == other->isSize && (*tuple)->items.size() == other->items.size();
  }
  if (const auto* list = like.maybe<values::ListPtr>()) {
    return (*list)->items.size() == value.as<values::ListPtr>()->items.size();
  }
  if (const auto* dict = like.maybe<values::DictPtr>()) {
    const auto& entries = (*dict)->entries;
    const auto& others = value.as<values::DictPtr>()->entries;
    return entries.size() == others.size() &&
           std::equal(entries.begin(), entries.end(), others.begin(),
                      [](const auto& left, const auto& right) { return left.first == right.first; });
  }
  const values::ModuleObject& module = *like.as<values::ModulePtr>();
  const values::ModuleObject& other = *value.as<values::ModulePtr>();
  return module.typeName == other.typeName && module.hasSameHooks(other) &&
         (!node.training || module.training == other.training) && module.hyper.size() == other.hyper.size() &&
         module.fields.size() == other.fields.size() &&
         std::equal(module.hyper.begin(), module.hyper.end(), other.hyper.begin(),
                    [&](const auto& left, const auto& right) {
                      return left.first == right.first &&
                             (!node.hyper || sources::sameConstant(left.second, right.second) ||
                              left.second.items() != nullptr);
                    }) &&
         std::equal(
             module.fields.begin(), module.fields.end(), other.fields.begin(),
             [](const auto& left, const auto& right) { return left.name == right.name && left.kind == right.kind; });
}

Guards::Guards(const std::vector<std::string>& names, const values::ValueList& locals, std::vector<bool> isRead,
               bool distinct, const Reads* reads, const sources::SymbolicLocals* symbolic)
    : global_(GlobalState::now()), distinct_(distinct), made_(symbolic) {
  if (symbolic != nullptr) {
    symbols_ = symbolic->sources();
  }
  std::vector<const void*> containers;
  for (size_t i = 0; i < locals.size(); ++i) {
    const std::string source = sources::sourceOfLocal(names[i]);
    roots_.push_back(isRead[i] ? nodeOf(locals[i], source, reads, containers)
                               : Node{.kind = Kind::kFree, .source = source});
  }
  made_ = nullptr;
  nameSymbols();
  deriveStrides();
}

Guards::TensorLeaf Guards::leafOf(const at::Tensor& tensor, const std::string& source, bool isFree) {
  if (tensor.layout() != at::kStrided) {
    throw ir::Unsupported("an argument that is not strided");
  }
  TensorLeaf leaf{.source = source, .isFree = isFree};
  const auto same =
      std::find_if(seen_.begin(), seen_.end(), [&](const at::Tensor& each) { return each.is_same(tensor); });
  leaf.number = static_cast<int>(same - seen_.begin());
  if (same != seen_.end()) {
    const auto first = std::find_if(leaves_.begin(), leaves_.end(),
                                    [&](const TensorLeaf& each) { return each.number == leaf.number; });
    leaf.sameAs = static_cast<int>(first - leaves_.begin());
    ++duplicates_;
  } else {
    seen_.push_back(tensor);
    sources_.push_back(source);
  }
  leaf.dtype = tensor.scalar_type();
  leaf.keys = tensor.key_set();
  leaf.device = tensor.device();
  leaf.requiresGrad = tensor.requires_grad();
  leaf.sizes = tensor.sizes().vec();
  leaf.strides = tensor.strides().vec();
  if (const sources::SymbolicLocals::Tensor* symbolic = made_ != nullptr ? made_->tensor(source) : nullptr) {
    leaf.symbolic = *symbolic;
  }
  return leaf;
}

Guards::Node Guards::nodeOf(const Value& value, const std::string& source, const Reads* reads,
                            std::vector<const void*>& containers) {
  Node node{.kind = Kind::kConstant, .source = source, .like = value};
  if (value.isTensor()) {
    node.kind = Kind::kTensor;
    node.leaf = leaves_.size();
    node.like = {};
    leaves_.push_back(leafOf(value.tensor(), source, reads != nullptr && !reads->isRead(value.tensor())));
    return node;
  }
  if (value.is<values::HandlePtr>() || value.is<values::SlicePtr>()) {
    throw ir::Unsupported("an argument of type " + value.typeName());
  }
  if (const void* address = arguments::addressOfContainer(value)) {
    const auto known = std::find(containers.begin(), containers.end(), address);
    node.container = static_cast<int>(known - containers.begin());
    if (known != containers.end()) {
      node.kind = Kind::kSeen;
      node.like = {};
      return node;
    }
    containers.push_back(address);
  } else if (!value.is<values::TuplePtr>()) {
    node.symbol = made_ != nullptr ? made_->integer(source) : -1;
    node.kind = node.symbol >= 0 ? Kind::kSymbol : node.kind;
    return node;
  }
  node.kind = Kind::kContainer;
  for (const auto& [key, item] : sources::itemsOf(value)) {
    Node inside = nodeOf(*item, sources::sourceOfItem(value, source, key), reads, containers);
    if (inside.kind == Kind::kConstant && reads != nullptr && !reads->isRead(value, key)) {
      inside.kind = Kind::kPlain;
      inside.like = {};
    }
    node.items.push_back(std::move(inside));
  }
  // What is compared is the type, the length, the keys; a copy, because the object itself may change.
  if (const auto* list = value.maybe<values::ListPtr>()) {
    node.like = Value(Value::Payload(std::make_shared<values::ListObject>()));
    node.like.as<values::ListPtr>()->items.resize((*list)->items.size());
  } else if (const auto* dict = value.maybe<values::DictPtr>()) {
    auto copy = std::make_shared<values::DictObject>();
    for (const auto& entry : (*dict)->entries) {
      copy->entries.emplace_back(entry.first, Value());
    }
    node.like = Value(Value::Payload(std::move(copy)));
  } else if (const auto* tuple = value.maybe<values::TuplePtr>()) {
    auto copy = std::make_shared<values::TupleObject>();
    copy->isSize = (*tuple)->isSize;
    copy->items.resize((*tuple)->items.size());
    node.like = Value(Value::Payload(std::move(copy)));
  } else {
    const values::ModuleObject& module = *value.as<values::ModulePtr>();
    node.training = reads == nullptr || reads->isRead(value, "training");
    node.hyper = reads == nullptr || std::any_of(module.hyper.begin(), module.hyper.end(),
                                                 [&](const auto& each) { return reads->isRead(value, each.first); });
    auto copy = std::make_shared<values::ModuleObject>(module);
    for (auto& field : copy->fields) {
      field.value = Value();
    }
    for (auto& hook : copy->hooks) { // one that is removed later was there
      hook = std::make_shared<values::ModuleHook>(*hook);
    }
    node.like = Value(Value::Payload(std::move(copy)));
  }
  return node;
}

int Guards::numberOf(const at::Tensor& tensor) const {
  for (size_t i = 0; i < seen_.size(); ++i) {
    if (seen_[i].is_same(tensor)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

void Guards::rely(const std::vector<std::pair<size_t, backends::Assumption>>& assumptions,
                  const std::vector<std::pair<at::Tensor, evaluator::Fact>>& facts, const values::ValueList& locals) {
  relied_.clear();
  unrelied_.clear();
  memory_.clear();
  for (const auto& [number, kind] : assumptions) {
    (kind == backends::Assumption::kMemory ? relied_ : unrelied_).push_back(number);
  }
  for (const auto& [tensor, fact] : facts) {
    const int number = numberOf(tensor);
    const bool isKnown = std::any_of(facts_.begin(), facts_.end(), [&, fact = fact](const AskedFact& each) {
      return static_cast<int>(each.number) == number && each.fact == fact;
    });
    if (number >= 0 && !isKnown) {
      facts_.push_back({static_cast<size_t>(number), fact, FactState::of(tensor, fact)});
    }
  }
  seen_.clear();
  if (relied_.empty()) {
    return;
  }
  std::sort(relied_.begin(), relied_.end());
  std::vector<const at::Tensor*> tensors(tensorCount());
  Walk walk{.tensors = &tensors};
  walk.symbols.assign(symbols_.size(), 0);
  walk.isBound.assign(symbols_.size(), false);
  for (size_t i = 0; i < locals.size(); ++i) {
    matches(roots_[i], locals[i], walk);
  }
  memory_ = memoryOf(tensors);
}

std::vector<MemoryState> Guards::memoryOf(const std::vector<const at::Tensor*>& tensors) const {
  std::vector<const at::Tensor*> looked;
  for (size_t number : relied_) {
    looked.push_back(tensors[number]);
  }
  return memoryStatesOf(std::move(looked));
}

bool Guards::matchesTensor(const TensorLeaf& leaf, const at::Tensor& tensor, Walk& walk) const {
  if (leaf.sameAs >= 0) {
    const TensorLeaf& first = leaves_[static_cast<size_t>(leaf.sameAs)];
    return (*walk.tensors)[static_cast<size_t>(leaf.number)]->is_same(tensor) ||
           walk.fail([&] { return first.source + " is " + leaf.source; });
  }
  (*walk.tensors)[static_cast<size_t>(leaf.number)] = &tensor;
  if (leaf.isFree) {
    return true;
  }
  const c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  auto mismatch = [&](const char* what, const std::string& rest) {
    return walk.fail([&] { return fmt::format("tensor '{}' {}. {}", leaf.source, what, rest); });
  };
  if (impl.key_set() != leaf.keys) {
    return mismatch("dispatch key set mismatch",
                    fmt::format("expected {}, actual {}", toString(leaf.keys), toString(impl.key_set())));
  }
  if (tensor.scalar_type() != leaf.dtype) {
    return mismatch("dtype mismatch",
                    fmt::format("expected {}, actual {}", toString(leaf.dtype), toString(tensor.scalar_type())));
  }
  if (impl.device() != leaf.device) {
    return mismatch("device mismatch", fmt::format("expected {}, actual {}", leaf.device.str(), impl.device().str()));
  }
  if (tensor.requires_grad() != leaf.requiresGrad) {
    return mismatch("requires_grad mismatch", fmt::format("expected requires_grad={}", leaf.requiresGrad ? 1 : 0));
  }
  const at::IntArrayRef sizes = tensor.sizes(), strides = tensor.strides();
  if (sizes.size() != leaf.sizes.size()) {
    return mismatch("rank mismatch", fmt::format("expected {}, actual {}", leaf.sizes.size(), sizes.size()));
  }
  const auto matches = [&](const char* what, at::IntArrayRef actual, const std::vector<int64_t>& expected,
                           const std::vector<symbols::Expression>* symbolic, bool isSize) {
    for (size_t d = 0; d < expected.size(); ++d) {
      const bool isLater = !isSize && leaf.isDerived[d]; // other tensors may tell what it is
      const bool isSame = isLater || (symbolic == nullptr ? actual[d] == expected[d]
                                                          : matchesNumber((*symbolic)[d], actual[d], isSize, walk));
      if (!isSame) {
        return mismatch(walk.explain ? fmt::format("{} mismatch at index {}", what, d).c_str() : "",
                        walk.explain ? fmt::format("expected {}, actual {}",
                                                   symbolic == nullptr
                                                       ? std::to_string(expected[d])
                                                       : expectedText((*symbolic)[d],
                                                                      isSize ? sources::sourceOfSize(leaf.source, d)
                                                                             : sources::sourceOfStride(leaf.source, d)),
                                                   actual[d])
                                     : "");
      }
    }
    return true;
  };
  return matches("size", sizes, leaf.sizes, leaf.symbolic ? &leaf.symbolic->sizes : nullptr, true) &&
         matches("stride", strides, leaf.strides, leaf.symbolic ? &leaf.symbolic->strides : nullptr, false);
}

bool Guards::matches(const Node& node, const Value& value, Walk& walk) const {
  walk.passed += walk.explain ? 1 : 0;
  switch (node.kind) {
    case Kind::kFree: return true;
    case Kind::kTensor:
      return value.isTensor() ? matchesTensor(leaves_[node.leaf], value.tensor(), walk)
                              : walk.fail([&] { return "___check_type_id(" + node.source + ", Tensor)"; });
    case Kind::kConstant:
      return sources::sameConstant(node.like, value) ||
             walk.fail([&] { return node.source + (node.like.isNone() ? " is " : " == ") + constantText(node.like); });
    case Kind::kSymbol: {
      const auto* number = value.maybe<int64_t>();
      if (number != nullptr && (*number == 0 || *number == 1)) { // code for these is other code
        return walk.fail([&] { return fmt::format("{} != {}", node.source, *number); });
      }
      return (number != nullptr && matchesNumber(symbols::Expression::ofSymbol(node.symbol), *number, false, walk)) ||
             walk.fail([&] { return "___check_type_id(" + node.source + ", int)"; });
    }
    case Kind::kPlain:
      return (!value.isTensor() && !value.is<values::TuplePtr>() && arguments::addressOfContainer(value) == nullptr) ||
             walk.fail([&] { return "___check_constant(" + node.source + ")"; });
    case Kind::kSeen: {
      const void* address = arguments::addressOfContainer(value);
      return (address != nullptr && walk.containers[static_cast<size_t>(node.container)] == address) ||
             walk.fail([&] { return node.source + " is the container that it was"; });
    }
    case Kind::kContainer: break;
  }
  if (node.container >= 0) {
    const void* address = arguments::addressOfContainer(value);
    if (address == nullptr ||
        std::find(walk.containers.begin(), walk.containers.end(), address) != walk.containers.end()) {
      return walk.fail([&] { return node.source + " is a container of its own"; });
    }
    walk.containers.push_back(address);
  }
  if (!sameShape(node, value)) {
    return walk.fail([&] {
      if (const values::ValueList* items = node.like.items(); items != nullptr && value.items() != nullptr) {
        return fmt::format("len({}) == {}", node.source, items->size());
      }
      return "___check_type_id(" + node.source + ", " + node.like.typeName() + ")";
    });
  }
  size_t i = 0;
  if (const values::ValueList* items = value.items()) { // no list of sources on the way of a call
    for (const Value& item : *items) {
      if (!matches(node.items[i++], item, walk)) {
        return false;
      }
    }
    return true;
  }
  for (const auto& [key, item] : sources::itemsOf(value)) {
    if (!matches(node.items[i++], *item, walk)) {
      return false;
    }
  }
  return true;
}

bool Guards::matchesMemory(const std::vector<const at::Tensor*>& tensors, Walk& walk) const {
  if (distinct_) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      for (size_t j = i + 1; j < tensors.size(); ++j) {
        if (tensors[i]->is_same(*tensors[j])) {
          return walk.fail([&] { return sources_[i] + " is not " + sources_[j]; });
        }
      }
    }
  }
  for (const AskedFact& asked : facts_) {
    const FactState now = FactState::of(*tensors[asked.number], asked.fact);
    if (!(now == asked.state)) {
      return walk.fail(
          [&] { return fmt::format("tensor '{}' {}", sources_[asked.number], factMismatch(asked.state, now)); });
    }
  }
  if (relied_.empty()) {
    return true;
  }
  for (size_t i = 0; i < relied_.size(); ++i) {
    for (size_t j = i + 1; j < relied_.size(); ++j) {
      if (tensors[relied_[i]]->is_same(*tensors[relied_[j]])) {
        return walk.fail([&] { return sources_[relied_[i]] + " is not " + sources_[relied_[j]]; });
      }
    }
  }
  const std::vector<MemoryState> now = memoryOf(tensors);
  std::vector<MemoryState> varied;
  if (memoryNumbers_) {
    varied = memory_;
    memoryNumbers_->put(numbersOf(varied), walk.symbols);
  }
  const std::vector<MemoryState>& expected = memoryNumbers_ ? varied : memory_;
  if (now.size() != expected.size()) {
    return walk.fail([&] { return sources_[relied_[0]] + " and its like are views of the same bases"; });
  }
  if (now != expected) {
    return walk.fail([&] {
      std::vector<std::string> sources;
      for (size_t number : relied_) {
        sources.push_back(sources_[number]);
      }
      return memoryMismatch(expected, now, sources);
    });
  }
  // What is relied on lies in memory that no other input may lie in.
  for (size_t number : unrelied_) {
    for (size_t each : relied_) {
      if (tensors[number]->storage().is_alias_of(tensors[each]->storage())) {
        return walk.fail([&] { return fmt::format("{} and {} share no memory", sources_[number], sources_[each]); });
      }
    }
  }
  return true;
}

bool Guards::run(const values::ValueList& locals, Walk& walk) const {
  walk.symbols.assign(symbols_.size(), 0);
  walk.isBound.assign(symbols_.size(), false);
  const GlobalState now = GlobalState::now();
  if (!(now == global_)) {
    return walk.fail([&] { return "GLOBAL_STATE changed: " + global_.difference(now); });
  }
  for (size_t i = 0; i < roots_.size(); ++i) {
    if (!matches(roots_[i], locals[i], walk)) {
      return false;
    }
  }
  walk.passed += walk.explain ? 1 : 0;
  bindPlaces(walk);
  bindMemory(walk);
  return matchesDerived(walk) && matchesConditions(walk) && matchesMemory(*walk.tensors, walk);
}

bool Guards::check(const values::ValueList& locals, std::vector<const at::Tensor*>& tensors,
                   symbols::Assignment* assignment) const {
  tensors.assign(tensorCount(), nullptr);
  Walk walk{.tensors = &tensors};
  const bool holds = run(locals, walk);
  if (assignment != nullptr) {
    *assignment = std::move(walk.symbols);
  }
  return holds;
}

std::pair<size_t, std::string> Guards::failureBehind(const values::ValueList& locals) const {
  std::vector<const at::Tensor*> tensors(tensorCount());
  Walk walk{.tensors = &tensors, .explain = true};
  run(locals, walk);
  return {walk.passed, std::move(walk.failure)};
}

std::string Guards::failure(const values::ValueList& locals) const {
  return failureBehind(locals).second;
}

} // namespace touchstone::capture
