#include "program/transforms/Trees.h"

#include "program/values/RaiseError.h"
#include "program/values/Teardown.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>

namespace touchstone::transforms {
namespace {

using Kind = TreeSpec::Kind;

Kind kindOf(const values::Value& value) {
  if (const auto* tuple = value.maybe<values::TuplePtr>()) {
    return (*tuple)->isSize ? Kind::kSize : Kind::kTuple;
  }
  return value.is<values::ListPtr>() ? Kind::kList : value.is<values::DictPtr>() ? Kind::kDict : Kind::kLeaf;
}

constexpr int kDeepest = 900; // where Python gives up

TreeSpec flattenInto(const values::Value& value, values::ValueList& leaves, int depth) {
  if (depth > kDeepest) {
    values::raiseError("RecursionError", "maximum recursion depth exceeded");
  }
  TreeSpec spec{.kind = kindOf(value)};
  if (spec.kind == Kind::kLeaf) {
    leaves.push_back(value);
  } else if (spec.kind == Kind::kDict) {
    for (const auto& [key, item] : value.as<values::DictPtr>()->entries) {
      spec.keys.push_back(key);
      spec.children.push_back(flattenInto(item, leaves, depth + 1));
    }
  } else {
    for (const values::Value& item : *value.items()) {
      spec.children.push_back(flattenInto(item, leaves, depth + 1));
    }
  }
  return spec;
}

values::Value contained(const TreeSpec& spec, values::ValueList items) {
  if (spec.kind == Kind::kList) {
    return values::Value::list(std::move(items));
  }
  if (spec.kind != Kind::kDict) {
    values::TupleObject tuple{.items = std::move(items), .isSize = spec.kind == Kind::kSize};
    return values::Value(values::makeShared(std::move(tuple)));
  }
  values::DictObject dict;
  for (size_t i = 0; i < items.size(); ++i) {
    dict.entries.emplace_back(spec.keys[i], std::move(items[i]));
  }
  return values::Value(values::makeShared(std::move(dict)));
}

values::Value unflattenFrom(values::ValueList::const_iterator& next, const TreeSpec& spec) {
  if (spec.kind == Kind::kLeaf) {
    return *next++;
  }
  values::ValueList items;
  for (const TreeSpec& child : spec.children) {
    items.push_back(unflattenFrom(next, child));
  }
  return contained(spec, std::move(items));
}

size_t leafCount(const TreeSpec& spec) {
  if (spec.kind == Kind::kLeaf) {
    return 1;
  }
  size_t count = 0;
  for (const TreeSpec& child : spec.children) {
    count += leafCount(child);
  }
  return count;
}

size_t sizeOf(const values::Value& container) {
  const auto* dict = container.maybe<values::DictPtr>();
  return dict != nullptr ? (*dict)->entries.size() : container.items()->size();
}

const TreeSpec* childOf(const TreeSpec& dict, const std::string& key) {
  const auto found = std::find(dict.keys.begin(), dict.keys.end(), key);
  return found == dict.keys.end() ? nullptr : &dict.children[found - dict.keys.begin()];
}

bool broadcastInto(const values::Value& prefix, const TreeSpec& spec, values::ValueList& leaves) {
  if (kindOf(prefix) == Kind::kLeaf) {
    leaves.insert(leaves.end(), leafCount(spec), prefix);
    return true;
  }
  if (kindOf(prefix) != spec.kind || sizeOf(prefix) != spec.children.size()) {
    return false;
  }
  if (spec.kind == Kind::kDict) {
    const auto& entries = prefix.as<values::DictPtr>()->entries;
    return std::ranges::all_of(entries, [&](const auto& entry) {
      const TreeSpec* child = childOf(spec, entry.first);
      return child != nullptr && broadcastInto(entry.second, *child, leaves);
    });
  }
  for (size_t i = 0; i < spec.children.size(); ++i) {
    if (!broadcastInto((*prefix.items())[i], spec.children[i], leaves)) {
      return false;
    }
  }
  return true;
}

std::string keysText(const TreeSpec& spec) {
  std::string text;
  for (const std::string& key : spec.keys) {
    text += (text.empty() ? "'" : ", '") + key + "'";
  }
  return "[" + text + "]";
}

} // namespace

Tree flatten(const values::Value& value) {
  Tree tree;
  tree.spec = flattenInto(value, tree.leaves, 0);
  return tree;
}

values::ValueList leavesOf(const values::Value& value) {
  return flatten(value).leaves;
}

values::Value unflatten(const values::ValueList& leaves, const TreeSpec& spec) {
  TORCH_INTERNAL_ASSERT(leaves.size() == leafCount(spec));
  auto next = leaves.begin();
  return unflattenFrom(next, spec);
}

values::Value mapLeaves(const values::Value& value,
                        const std::function<values::Value(const values::Value& leaf)>& map) {
  Tree tree = flatten(value);
  for (values::Value& leaf : tree.leaves) {
    leaf = map(leaf);
  }
  return unflatten(tree.leaves, tree.spec);
}

std::optional<values::ValueList> broadcastTo(const values::Value& prefix, const TreeSpec& spec) {
  values::ValueList leaves;
  return broadcastInto(prefix, spec, leaves) ? std::optional(std::move(leaves)) : std::nullopt;
}

std::string specText(const TreeSpec& spec, int indent) {
  if (spec.kind == Kind::kLeaf) {
    return "*";
  }
  constexpr const char* kNames[] = {"", "tuple", "Size", "list", "dict"};
  std::string children;
  for (const TreeSpec& child : spec.children) {
    children += (children.empty() ? "" : ",\n" + std::string(indent + 2, ' ')) + specText(child, indent + 2);
  }
  return fmt::format("TreeSpec({}, {}, [{}])", kNames[static_cast<int>(spec.kind)],
                     spec.kind == Kind::kDict ? keysText(spec) : "None", children);
}

std::string shortSpecText(const TreeSpec& spec) {
  if (spec.kind == Kind::kLeaf) {
    return "*";
  }
  std::string text;
  for (size_t i = 0; i < spec.children.size(); ++i) {
    const std::string key = spec.kind == Kind::kDict ? "'" + spec.keys[i] + "': " : "";
    text += (i == 0 ? "" : ", ") + key + shortSpecText(spec.children[i]);
  }
  const bool isOne = spec.children.size() == 1;
  return spec.kind == Kind::kList   ? "[" + text + "]"
         : spec.kind == Kind::kDict ? "{" + text + "}"
                                    : "(" + text + (isOne ? ",)" : ")");
}

std::string classText(const values::Value& value) {
  const std::string name = value.typeName();
  return "<class '" + (value.isTensor() ? "torch." + name : name) + "'>";
}

} // namespace touchstone::transforms
