#include "backends/capture/Guards.h"

#include "backends/arguments/Leaf.h"
#include "backends/arguments/VersionSharing.h"
#include "graph/program/Ast.h"
#include "graph/program/CompiledProgram.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace touchstone::backends {

using graph::Value;

namespace {

const at::Tensor* baseOfView(const at::Tensor& tensor) {
  const auto* view = torch::autograd::impl::get_view_autograd_meta(tensor);
  return view != nullptr && view->has_bw_view() ? &view->get_backward_view().base_ : nullptr;
}

/// The address by which a Program could tell a container from another of the same contents.
const void* addressOfContainer(const Value& value) {
  if (const auto* list = value.maybe<graph::ListPtr>()) {
    return list->get();
  }
  if (const auto* dict = value.maybe<graph::DictPtr>()) {
    return dict->get();
  }
  if (const auto* module = value.maybe<graph::ModulePtr>()) {
    return module->get();
  }
  return nullptr;
}

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
        } else if constexpr (std::is_same_v<T, std::monostate> || std::is_same_v<T, graph::EllipsisValue>) {
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

std::string constantText(const Value& value) {
  if (const auto* flag = value.maybe<bool>()) {
    return *flag ? "True" : "False";
  }
  if (const auto* number = value.maybe<int64_t>()) {
    return std::to_string(*number);
  }
  if (const auto* number = value.maybe<double>()) {
    return graph::pythonFloatText(*number);
  }
  if (const auto* text = value.maybe<std::string>()) {
    return "'" + *text + "'";
  }
  if (const auto* dtype = value.maybe<at::ScalarType>()) {
    return "torch." + std::string(c10::getDtypeNames(*dtype).first);
  }
  if (const auto* device = value.maybe<at::Device>()) {
    return device->str();
  }
  return value.isNone() ? "None" : value.typeName();
}

/// A container's type, keys and names, without the values.
bool sameShape(const Value& like, const Value& value) {
  if (like.payload().index() != value.payload().index()) {
    return false;
  }
  if (const auto* tuple = like.maybe<graph::TuplePtr>()) {
    const auto& other = value.as<graph::TuplePtr>();
    return (*tuple)->isSize == other->isSize && (*tuple)->items.size() == other->items.size();
  }
  if (const auto* list = like.maybe<graph::ListPtr>()) {
    return (*list)->items.size() == value.as<graph::ListPtr>()->items.size();
  }
  if (const auto* dict = like.maybe<graph::DictPtr>()) {
    const auto& entries = (*dict)->entries;
    const auto& others = value.as<graph::DictPtr>()->entries;
    return entries.size() == others.size() &&
           std::equal(entries.begin(), entries.end(), others.begin(),
                      [](const auto& left, const auto& right) { return left.first == right.first; });
  }
  const graph::ModuleObject& module = *like.as<graph::ModulePtr>();
  const graph::ModuleObject& other = *value.as<graph::ModulePtr>();
  return module.typeName == other.typeName && module.training == other.training &&
         module.hyper.size() == other.hyper.size() && module.fields.size() == other.fields.size() &&
         std::equal(module.hyper.begin(), module.hyper.end(), other.hyper.begin(),
                    [](const auto& left, const auto& right) {
                      return left.first == right.first &&
                             (sameConstant(left.second, right.second) || left.second.items() != nullptr);
                    }) &&
         std::equal(
             module.fields.begin(), module.fields.end(), other.fields.begin(),
             [](const auto& left, const auto& right) { return left.name == right.name && left.kind == right.kind; });
}

/// The values inside, in order; of a module its tuples among the constructor's arguments come first.
std::vector<std::pair<std::string, const Value*>> itemsOf(const Value& value, const std::string& source) {
  std::vector<std::pair<std::string, const Value*>> items;
  if (const graph::ValueList* list = value.items()) {
    for (size_t i = 0; i < list->size(); ++i) {
      items.emplace_back(fmt::format("{}[{}]", source, i), &(*list)[i]);
    }
  } else if (const auto* dict = value.maybe<graph::DictPtr>()) {
    for (const auto& [key, item] : (*dict)->entries) {
      items.emplace_back(fmt::format("{}['{}']", source, key), &item);
    }
  } else {
    const graph::ModuleObject& module = *value.as<graph::ModulePtr>();
    for (const auto& [name, item] : module.hyper) {
      if (item.items() != nullptr) {
        items.emplace_back(source + "." + name, &item);
      }
    }
    for (const auto& field : module.fields) {
      items.emplace_back(source + "." + field.name, &field.value);
    }
  }
  return items;
}

} // namespace

GlobalState GlobalState::now() {
  GlobalState state;
  state.gradMode = c10::GradMode::is_enabled();
  state.inferenceMode = c10::InferenceMode::is_enabled();
  state.autocast = at::autocast::is_autocast_enabled(at::kCPU);
  state.autocastCache = at::autocast::is_autocast_cache_enabled();
  state.autocastDtype = at::autocast::get_autocast_dtype(at::kCPU);
  state.defaultDtype = c10::get_default_dtype_as_scalartype();
  state.deterministic = at::globalContext().deterministicAlgorithms();
  state.deterministicWarnOnly = at::globalContext().deterministicAlgorithmsWarnOnly();
  state.deterministicFill = at::globalContext().deterministicFillUninitializedMemory();
  return state;
}

std::string GlobalState::difference(const GlobalState& other) const {
  return gradMode != other.gradMode             ? "grad_mode"
         : inferenceMode != other.inferenceMode ? "inference_mode"
         : autocast != other.autocast || autocastCache != other.autocastCache || autocastDtype != other.autocastDtype
             ? "autocast_state"
         : defaultDtype != other.defaultDtype ? "default_dtype"
         : *this == other                     ? ""
                                              : "deterministic_algorithms";
}

/// One walk over the locals of a call.
struct Guards::Walk {
  std::vector<const at::Tensor*>* tensors = nullptr; // by number
  bool explain = false;
  std::string failure; // with `explain`
  std::vector<const void*> containers;

  bool fail(const std::function<std::string()>& text) {
    if (explain) {
      failure = text();
    }
    return false;
  }
};

Guards::Guards(std::vector<std::string> names, const graph::ValueList& locals, std::vector<bool> isRead, bool distinct)
    : global_(GlobalState::now()), names_(std::move(names)), distinct_(distinct) {
  std::vector<const void*> containers;
  for (size_t i = 0; i < locals.size(); ++i) {
    const std::string source = "L['" + names_[i] + "']";
    roots_.push_back(isRead[i] ? nodeOf(locals[i], source, containers) : Node{.kind = Kind::kFree, .source = source});
  }
  seen_.shrink_to_fit();
}

Guards::Node Guards::nodeOf(const Value& value, const std::string& source, std::vector<const void*>& containers) {
  Node node{.kind = Kind::kConstant, .source = source, .like = value};
  if (value.isTensor()) {
    node.kind = Kind::kTensor;
    node.leaf = leaves_.size();
    node.like = {};
    TensorLeaf leaf{.source = source};
    const at::Tensor& tensor = value.tensor();
    if (tensor.layout() != at::kStrided) {
      throw graph::Unsupported("an argument that is not strided");
    }
    const auto same =
        std::find_if(seen_.begin(), seen_.end(), [&](const at::Tensor& each) { return each.is_same(tensor); });
    leaf.number = static_cast<int>(same - seen_.begin());
    if (same != seen_.end()) {
      for (size_t i = 0; i < leaves_.size(); ++i) {
        leaf.sameAs = leaves_[i].number == leaf.number && leaf.sameAs < 0 ? static_cast<int>(i) : leaf.sameAs;
      }
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
    leaves_.push_back(std::move(leaf));
    return node;
  }
  if (value.is<graph::HandlePtr>() || value.is<graph::SlicePtr>()) {
    throw graph::Unsupported("an argument of type " + value.typeName());
  }
  if (const void* address = addressOfContainer(value)) {
    const auto known = std::find(containers.begin(), containers.end(), address);
    node.container = static_cast<int>(known - containers.begin());
    if (known != containers.end()) {
      node.kind = Kind::kSeen;
      node.like = {};
      return node;
    }
    containers.push_back(address);
  } else if (!value.is<graph::TuplePtr>()) {
    return node;
  }
  node.kind = Kind::kContainer;
  for (const auto& [itemSource, item] : itemsOf(value, source)) {
    node.items.push_back(nodeOf(*item, itemSource, containers));
  }
  // What is compared is the type, the length, the keys; a copy, because the object itself may change.
  if (const auto* list = value.maybe<graph::ListPtr>()) {
    node.like = Value(Value::Payload(std::make_shared<graph::ListObject>()));
    node.like.as<graph::ListPtr>()->items.resize((*list)->items.size());
  } else if (const auto* dict = value.maybe<graph::DictPtr>()) {
    auto copy = std::make_shared<graph::DictObject>();
    for (const auto& entry : (*dict)->entries) {
      copy->entries.emplace_back(entry.first, Value());
    }
    node.like = Value(Value::Payload(std::move(copy)));
  } else if (const auto* tuple = value.maybe<graph::TuplePtr>()) {
    auto copy = std::make_shared<graph::TupleObject>();
    copy->isSize = (*tuple)->isSize;
    copy->items.resize((*tuple)->items.size());
    node.like = Value(Value::Payload(std::move(copy)));
  } else {
    auto copy = std::make_shared<graph::ModuleObject>(*value.as<graph::ModulePtr>());
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

void Guards::rely(const std::vector<std::pair<size_t, Reliance>>& reliance, const graph::ValueList& locals) {
  for (const auto& [number, kind] : reliance) {
    (kind == Reliance::kMemory ? relied_ : unrelied_).push_back(number);
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

/// Of the tensors whose memory is relied on, then of the bases of views among them that are not such tensors themselves.
std::vector<MemoryState> Guards::memoryOf(const std::vector<const at::Tensor*>& tensors) const {
  std::vector<const at::Tensor*> looked;
  for (size_t number : relied_) {
    looked.push_back(tensors[number]);
  }
  std::vector<const void*> storages, versions;
  auto number = [](std::vector<const void*>& known, const void* each) {
    const auto found = std::find(known.begin(), known.end(), each);
    if (found == known.end()) {
      known.push_back(each);
      return static_cast<int>(known.size()) - 1;
    }
    return static_cast<int>(found - known.begin());
  };
  std::vector<MemoryState> states;
  for (size_t i = 0; i < looked.size(); ++i) { // grows with bases
    const at::Tensor& tensor = *looked[i];
    MemoryState state;
    state.offset = tensor.storage_offset();
    state.bytes = tensor.storage().nbytes();
    state.isLeaf = isLeafNow(tensor);
    state.retainsGrad = tensor.retains_grad();
    state.storage = number(storages, tensor.storage().unsafeGetStorageImpl());
    state.version = number(versions, versionIdentity(tensor));
    if (const at::Tensor* base = baseOfView(tensor)) {
      state.view = static_cast<int>(torch::autograd::impl::get_view_autograd_meta(tensor)->get_creation_meta());
      const auto known =
          std::find_if(looked.begin(), looked.end(), [&](const at::Tensor* each) { return each->is_same(*base); });
      state.base = static_cast<int>(known - looked.begin());
      if (known == looked.end()) {
        looked.push_back(base);
      }
    }
    states.push_back(state);
  }
  for (size_t i = relied_.size(); i < looked.size(); ++i) { // a hidden base is guarded as an input would be
    const at::Tensor& base = *looked[i];
    std::vector<int64_t>& hidden = states[i].hidden;
    hidden = {static_cast<int64_t>(base.scalar_type()), static_cast<int64_t>(base.key_set().raw_repr()),
              base.requires_grad() ? 1 : 0};
    hidden.insert(hidden.end(), base.sizes().begin(), base.sizes().end());
    hidden.insert(hidden.end(), base.strides().begin(), base.strides().end());
  }
  return states;
}

bool Guards::matchesTensor(const TensorLeaf& leaf, const at::Tensor& tensor, Walk& walk) const {
  if (leaf.sameAs >= 0) {
    const TensorLeaf& first = leaves_[static_cast<size_t>(leaf.sameAs)];
    return (*walk.tensors)[static_cast<size_t>(leaf.number)]->is_same(tensor) ||
           walk.fail([&] { return first.source + " is " + leaf.source; });
  }
  (*walk.tensors)[static_cast<size_t>(leaf.number)] = &tensor;
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
  switch (node.kind) {
    case Kind::kFree: return true;
    case Kind::kTensor:
      return value.isTensor() ? matchesTensor(leaves_[node.leaf], value.tensor(), walk)
                              : walk.fail([&] { return "___check_type_id(" + node.source + ", Tensor)"; });
    case Kind::kConstant:
      return sameConstant(node.like, value) ||
             walk.fail([&] { return node.source + (node.like.isNone() ? " is " : " == ") + constantText(node.like); });
    case Kind::kSeen: {
      const void* address = addressOfContainer(value);
      return (address != nullptr && walk.containers[static_cast<size_t>(node.container)] == address) ||
             walk.fail([&] { return node.source + " is the container that it was"; });
    }
    case Kind::kContainer: break;
  }
  if (node.container >= 0) {
    const void* address = addressOfContainer(value);
    if (address == nullptr ||
        std::find(walk.containers.begin(), walk.containers.end(), address) != walk.containers.end()) {
      return walk.fail([&] { return node.source + " is a container of its own"; });
    }
    walk.containers.push_back(address);
  }
  if (!sameShape(node.like, value)) {
    return walk.fail([&] {
      if (const graph::ValueList* items = node.like.items(); items != nullptr && value.items() != nullptr) {
        return fmt::format("len({}) == {}", node.source, items->size());
      }
      return "___check_type_id(" + node.source + ", " + node.like.typeName() + ")";
    });
  }
  size_t i = 0;
  if (const graph::ValueList* items = value.items()) { // no list of sources on the way of a call
    for (const Value& item : *items) {
      if (!matches(node.items[i++], item, walk)) {
        return false;
      }
    }
    return true;
  }
  for (const auto& [source, item] : itemsOf(value, "")) {
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
  for (size_t i = 0; i < now.size(); ++i) {
    if (!(now[i] == memory_[i])) {
      return walk.fail([&] {
        const std::string source = i < relied_.size() ? sources_[relied_[i]] : "a base of a view";
        const MemoryState &expected = memory_[i], &actual = now[i];
        auto text = [&](const char* what, int64_t wanted, int64_t found) {
          return fmt::format("tensor '{}' {} mismatch. expected {}, actual {}", source, what, wanted, found);
        };
        return expected.storage != actual.storage
                   ? fmt::format("tensor '{}' shares memory with other tensors than before", source)
               : expected.offset != actual.offset ? text("storage offset", expected.offset, actual.offset)
               : expected.bytes != actual.bytes
                   ? text("storage size", static_cast<int64_t>(expected.bytes), static_cast<int64_t>(actual.bytes))
               : expected.isLeaf != actual.isLeaf ? text("is_leaf", expected.isLeaf, actual.isLeaf)
               : expected.retainsGrad != actual.retainsGrad
                   ? text("retains_grad", expected.retainsGrad, actual.retainsGrad)
               : expected.version != actual.version
                   ? fmt::format("tensor '{}' shares its version with other tensors than before", source)
                   : fmt::format("tensor '{}' is a view in another way than before", source);
      });
    }
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

bool Guards::run(const graph::ValueList& locals, Walk& walk) const {
  const GlobalState now = GlobalState::now();
  if (!(now == global_)) {
    return walk.fail([&] { return "GLOBAL_STATE changed: " + global_.difference(now); });
  }
  for (size_t i = 0; i < roots_.size(); ++i) {
    if (!matches(roots_[i], locals[i], walk)) {
      return false;
    }
  }
  return matchesMemory(*walk.tensors, walk);
}

bool Guards::check(const graph::ValueList& locals, std::vector<const at::Tensor*>& tensors) const {
  tensors.assign(tensorCount(), nullptr);
  Walk walk{.tensors = &tensors};
  return run(locals, walk);
}

std::string Guards::failure(const graph::ValueList& locals) const {
  std::vector<const at::Tensor*> tensors(tensorCount());
  Walk walk{.tensors = &tensors, .explain = true};
  run(locals, walk);
  return walk.failure;
}

std::vector<std::string> Guards::texts() const {
  std::vector<std::string> texts;
  texts.push_back(fmt::format("___check_global_state() (grad_mode={}, inference_mode={}, autocast={})",
                              global_.gradMode ? "True" : "False", global_.inferenceMode ? "True" : "False",
                              global_.autocast ? toString(global_.autocastDtype) : "off"));
  std::vector<const Node*> open;
  for (auto root = roots_.rbegin(); root != roots_.rend(); ++root) {
    open.push_back(&*root);
  }
  while (!open.empty()) {
    const Node& node = *open.back();
    open.pop_back();
    switch (node.kind) {
      case Kind::kFree: break;
      case Kind::kTensor: {
        const TensorLeaf& leaf = leaves_[node.leaf];
        if (leaf.sameAs >= 0) {
          texts.push_back(leaves_[static_cast<size_t>(leaf.sameAs)].source + " is " + leaf.source);
        } else {
          texts.push_back(fmt::format(
              "check_tensor({}, Tensor, {}, torch.{}, device={}, requires_grad={}, size=[{}], "
              "stride=[{}])",
              leaf.source, toString(leaf.keys), c10::getDtypeNames(leaf.dtype).first, leaf.device.str(),
              leaf.requiresGrad ? "True" : "False", fmt::join(leaf.sizes, ", "), fmt::join(leaf.strides, ", ")));
        }
        break;
      }
      case Kind::kConstant:
        texts.push_back(node.source + (node.like.isNone() ? " is " : " == ") + constantText(node.like));
        break;
      case Kind::kSeen: texts.push_back(node.source + " is the container that it was"); break;
      case Kind::kContainer:
        texts.push_back("___check_type_id(" + node.source + ", " + node.like.typeName() + ")");
        if (const graph::ValueList* items = node.like.items()) {
          texts.push_back(fmt::format("len({}) == {}", node.source, items->size()));
        }
        for (auto item = node.items.rbegin(); item != node.items.rend(); ++item) {
          open.push_back(&*item);
        }
        break;
    }
  }
  for (size_t i = 0; i < relied_.size(); ++i) {
    const MemoryState& state = memory_[i];
    texts.push_back(fmt::format("check_memory({}, offset={}, bytes={}, is_leaf={}{}, memory #{})", sources_[relied_[i]],
                                state.offset, state.bytes, state.isLeaf ? "True" : "False",
                                state.view >= 0 ? ", view" : "", state.storage));
  }
  for (size_t number : unrelied_) {
    for (size_t each : relied_) {
      texts.push_back(fmt::format("{} and {} share no memory", sources_[number], sources_[each]));
    }
  }
  if (distinct_) {
    texts.push_back(fmt::format("___check_no_aliasing({})", fmt::join(sources_, ", ")));
  }
  return texts;
}

} // namespace touchstone::backends
