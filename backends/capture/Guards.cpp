#include "backends/capture/Guards.h"

#include "backends/arguments/Containers.h"
#include "backends/capture/GuardTexts.h"
#include "program/values/CompiledProgram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace touchstone::capture {

using values::Value;

namespace {

bool sameConstant(const Value& left, const Value& right) {
  if (left.payload().index() != right.payload().index()) {
    return false;
  }
  return std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, double>) {
          return std::memcmp(&value, &right.as<double>(), sizeof(double)) == 0;
        } else if constexpr (std::is_same_v<T, std::complex<double>>) {
          return std::memcmp(&value, &right.as<T>(), sizeof(T)) == 0;
        } else if constexpr (std::is_same_v<T, std::monostate> || std::is_same_v<T, values::EllipsisValue>) {
          return true;
        } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int64_t> || std::is_same_v<T, std::string> ||
                             std::is_same_v<T, at::ScalarType> || std::is_same_v<T, at::Device> ||
                             std::is_same_v<T, at::Layout> || std::is_same_v<T, at::MemoryFormat>) {
          return value == right.as<T>();
        } else {
          return false;
        }
      },
      left.payload());
}

/// The values inside by their keys, as evaluator::ReadObserver names them, in order; of a module its tuples among the
/// constructor's arguments come first.
std::vector<std::pair<std::string, const Value*>> itemsOf(const Value& value) {
  std::vector<std::pair<std::string, const Value*>> items;
  if (const values::ValueList* list = value.items()) {
    for (size_t i = 0; i < list->size(); ++i) {
      items.emplace_back(evaluator::itemKey(i), &(*list)[i]);
    }
  } else if (const auto* dict = value.maybe<values::DictPtr>()) {
    for (const auto& [key, item] : (*dict)->entries) {
      items.emplace_back(key, &item);
    }
  } else {
    const values::ModuleObject& module = *value.as<values::ModulePtr>();
    for (const auto& [name, item] : module.hyper) {
      if (item.items() != nullptr) {
        items.emplace_back(name, &item);
      }
    }
    for (const auto& field : module.fields) {
      items.emplace_back(field.name, &field.value);
    }
  }
  return items;
}

/// `L['x'][0]`, `L['x']['a']`, `L['x'].weight`.
std::string sourceOfItem(const Value& value, const std::string& source, const std::string& key) {
  return value.is<values::DictPtr>()     ? fmt::format("{}['{}']", source, key)
         : value.is<values::ModulePtr>() ? source + "." + key
                                         : source + key;
}

} // namespace

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
  return module.typeName == other.typeName && (!node.training || module.training == other.training) &&
         module.hyper.size() == other.hyper.size() && module.fields.size() == other.fields.size() &&
         std::equal(module.hyper.begin(), module.hyper.end(), other.hyper.begin(),
                    [&](const auto& left, const auto& right) {
                      return left.first == right.first &&
                             (!node.hyper || sameConstant(left.second, right.second) || left.second.items() != nullptr);
                    }) &&
         std::equal(
             module.fields.begin(), module.fields.end(), other.fields.begin(),
             [](const auto& left, const auto& right) { return left.name == right.name && left.kind == right.kind; });
}

/// One walk over the locals of a call.
struct Guards::Walk {
  std::vector<const at::Tensor*>* tensors = nullptr; // by number
  bool explain = false;
  std::string failure; // with `explain`
  size_t passed = 0; // with `explain`: values and modes
  std::vector<const void*> containers;

  bool fail(const std::function<std::string()>& text) {
    if (explain) {
      failure = text();
    }
    return false;
  }
};

Guards::Guards(const std::vector<std::string>& names, const values::ValueList& locals, std::vector<bool> isRead,
               bool distinct, const Reads* reads)
    : global_(GlobalState::now()), distinct_(distinct) {
  std::vector<const void*> containers;
  for (size_t i = 0; i < locals.size(); ++i) {
    const std::string source = "L['" + names[i] + "']";
    roots_.push_back(isRead[i] ? nodeOf(locals[i], source, reads, containers)
                               : Node{.kind = Kind::kFree, .source = source});
  }
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
    return node;
  }
  node.kind = Kind::kContainer;
  for (const auto& [key, item] : itemsOf(value)) {
    Node inside = nodeOf(*item, sourceOfItem(value, source, key), reads, containers);
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
  for (size_t d = 0; d < leaf.sizes.size(); ++d) {
    if (sizes[d] != leaf.sizes[d]) {
      return mismatch(walk.explain ? fmt::format("size mismatch at index {}", d).c_str() : "",
                      walk.explain ? fmt::format("expected {}, actual {}", leaf.sizes[d], sizes[d]) : "");
    }
  }
  for (size_t d = 0; d < leaf.strides.size(); ++d) {
    if (strides[d] != leaf.strides[d]) {
      return mismatch(walk.explain ? fmt::format("stride mismatch at index {}", d).c_str() : "",
                      walk.explain ? fmt::format("expected {}, actual {}", leaf.strides[d], strides[d]) : "");
    }
  }
  return true;
}

bool Guards::matches(const Node& node, const Value& value, Walk& walk) const {
  walk.passed += walk.explain ? 1 : 0;
  switch (node.kind) {
    case Kind::kFree: return true;
    case Kind::kTensor:
      return value.isTensor() ? matchesTensor(leaves_[node.leaf], value.tensor(), walk)
                              : walk.fail([&] { return "___check_type_id(" + node.source + ", Tensor)"; });
    case Kind::kConstant:
      return sameConstant(node.like, value) ||
             walk.fail([&] { return node.source + (node.like.isNone() ? " is " : " == ") + constantText(node.like); });
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
  for (const auto& [key, item] : itemsOf(value)) {
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
  if (now.size() != memory_.size()) {
    return walk.fail([&] { return sources_[relied_[0]] + " and its like are views of the same bases"; });
  }
  if (now != memory_) {
    return walk.fail([&] {
      std::vector<std::string> sources;
      for (size_t number : relied_) {
        sources.push_back(sources_[number]);
      }
      return memoryMismatch(memory_, now, sources);
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
  return matchesMemory(*walk.tensors, walk);
}

bool Guards::check(const values::ValueList& locals, std::vector<const at::Tensor*>& tensors) const {
  tensors.assign(tensorCount(), nullptr);
  Walk walk{.tensors = &tensors};
  return run(locals, walk);
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
