#pragma once

#include "program/values/Value.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace touchstone::transforms {

/// The tuples, lists and dicts around the leaves of a value, as `torch/utils/_pytree.py` sees them: everything else is a leaf,
/// None and modules among them.
struct TreeSpec {
  enum class Kind { kLeaf, kTuple, kSize, kList, kDict };

  Kind kind = Kind::kLeaf;
  std::vector<std::string> keys; // of a dict, in its order
  std::vector<TreeSpec> children;

  bool operator==(const TreeSpec& other) const = default;
};

struct Tree {
  values::ValueList leaves; // depth first
  TreeSpec spec;
};

Tree flatten(const values::Value& value);
values::ValueList leavesOf(const values::Value& value);
/// As many leaves as the spec has.
values::Value unflatten(const values::ValueList& leaves, const TreeSpec& spec);
values::Value mapLeaves(const values::Value& value, const std::function<values::Value(const values::Value& leaf)>& map);

/// A value whose containers are the outer ones of the spec: each of its leaves as often as there are leaves of the spec in its
/// place, in the order of the value, which of a dict need not be that of the spec. None when the containers are others.
std::optional<values::ValueList> broadcastTo(const values::Value& prefix, const TreeSpec& spec);

/// `TreeSpec(tuple, None, [*,\n  *])`, as `repr` has it, and `(*, *)`, as `treespec_pprint` has it.
std::string specText(const TreeSpec& spec, int indent = 0);
std::string shortSpecText(const TreeSpec& spec);

/// What `type(value)` prints: `<class 'torch.Tensor'>`.
std::string classText(const values::Value& value);

} // namespace touchstone::transforms
