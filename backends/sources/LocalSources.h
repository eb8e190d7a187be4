#pragma once

#include "program/values/Value.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::sources {

/// The values inside by their keys, as evaluator::ReadObserver names them, in order; of a module its tuples among the
/// constructor's arguments come first.
std::vector<std::pair<std::string, const values::Value*>> itemsOf(const values::Value& value);

/// `L['x'][0]`, `L['x']['a']`, `L['x'].weight`.
std::string sourceOfItem(const values::Value& value, const std::string& source, const std::string& key);

/// Two values that are no tensors or containers have one type and the same bits.
bool sameConstant(const values::Value& left, const values::Value& right);

/// `L['x']`.
std::string sourceOfLocal(const std::string& name);

/// `L['x'].size()[0]`.
std::string sourceOfSize(const std::string& tensor, size_t dimension);
/// `L['x'].stride()[0]`.
std::string sourceOfStride(const std::string& tensor, size_t dimension);

/// Sees each value that is no container, in locals and in lists, tuples and dicts among them, by its source; what modules
/// hold is left out, and what a container holds that was there before.
void forEachLeaf(const std::vector<std::string>& names, const values::ValueList& locals,
                 const std::function<void(const std::string& source, const values::Value& value)>& see);

/// A copy of the locals with containers of their own, in which leaves are replaced; modules and what they hold stay the very
/// objects.
values::ValueList withLeaves(
    const std::vector<std::string>& names, const values::ValueList& locals,
    const std::function<values::Value(const std::string& source, const values::Value& value)>& replace);

} // namespace touchstone::sources
