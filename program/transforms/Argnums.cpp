#include "program/transforms/Argnums.h"

#include "program/torch_names/HandWritten.h"
#include "program/transforms/Trees.h"
#include "program/values/RaiseError.h"

#include <set>

namespace touchstone::transforms {
namespace {

void checkKind(const values::Value& argnums) {
  const auto* tuple = argnums.maybe<values::TuplePtr>();
  if (!isInt(argnums) && tuple == nullptr) {
    values::raiseError("RuntimeError", "argnums must be int or Tuple[int, ...], got: {}", classText(argnums));
  }
}

size_t position(const values::Value& argnum, size_t count) {
  if (!isInt(argnum)) {
    values::raiseError("RuntimeError", "argnum must be int, got: {}", classText(argnum));
  }
  const int64_t number = intOf(argnum);
  const auto length = static_cast<int64_t>(count);
  if (number < -length || number >= length) {
    values::raiseError("RuntimeError", "Got argnum={}, but only {} positional inputs", torch_names::shown(argnum),
                       count);
  }
  return static_cast<size_t>(number < 0 ? number + length : number);
}

std::vector<size_t> positions(const values::Value& argnums, size_t count) {
  checkKind(argnums);
  if (isInt(argnums)) {
    return {position(argnums, count)};
  }
  std::vector<size_t> positions;
  for (const values::Value& argnum : *argnums.items()) {
    positions.push_back(position(argnum, count));
  }
  if (positions.empty()) {
    values::raiseError("RuntimeError", "argnums must be non-empty");
  }
  if (std::set<size_t>(positions.begin(), positions.end()).size() != positions.size()) {
    values::ValueList wrapped;
    for (const size_t each : positions) {
      wrapped.push_back(torch_names::number(static_cast<int64_t>(each)));
    }
    values::raiseError("RuntimeError", "argnums elements must be unique, got {}",
                       torch_names::shown(values::Value::tuple(std::move(wrapped))));
  }
  return positions;
}

} // namespace

bool isInt(const values::Value& value) {
  return value.is<int64_t>() || value.is<bool>();
}

int64_t intOf(const values::Value& value) {
  return value.is<bool>() ? static_cast<int64_t>(value.as<bool>()) : value.as<int64_t>();
}

values::Value tupleOfArgnums(const values::ValueList& arguments, const values::Value& argnums) {
  values::ValueList sliced;
  for (const size_t each : positions(argnums, arguments.size())) {
    sliced.push_back(arguments[each]);
  }
  return values::Value::tuple(std::move(sliced));
}

values::Value sliceArgnums(const values::ValueList& arguments, const values::Value& argnums) {
  values::Value sliced = tupleOfArgnums(arguments, argnums);
  return isInt(argnums) ? sliced.items()->front() : sliced;
}

values::ValueList replaceArgnums(const values::ValueList& arguments, const values::Value& replacements,
                                 const values::Value& argnums) {
  values::ValueList replaced = arguments;
  const std::vector<size_t> places = positions(argnums, arguments.size());
  for (size_t i = 0; i < places.size(); ++i) {
    replaced[places[i]] = (*replacements.items())[i];
  }
  return replaced;
}

} // namespace touchstone::transforms
