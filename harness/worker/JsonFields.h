#pragma once

#include "graph/ir/Delegation.h"

#include <nlohmann/json.hpp>

#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>

// For sources only: nlohmann/json.hpp is dear to compile. A header says TOUCHSTONE_TRAVELS(Type) (Task.h), and the source
// next to it TOUCHSTONE_JSON_FIELDS(Type, field, …), which defines `to_json` and `from_json`: the keys are the fields' names,
// and a field that holds its default is left out, so that a Case without a finding is a line of about 300 bytes.
// A type of another folder, which must not be given functions there, gets TOUCHSTONE_JSON_OF in the global namespace.

namespace touchstone::worker {

template <class Value>
void putField(nlohmann::json& object, const char* key, const Value& value, const Value& usual) {
  if (!(value == usual)) {
    object[key] = value;
  }
}

template <class Value>
void putField(nlohmann::json& object, const char* key, const std::optional<Value>& value, const std::optional<Value>&) {
  if (value.has_value()) {
    object[key] = *value;
  }
}

template <class Value>
void takeField(const nlohmann::json& object, const char* key, Value& value) {
  if (const auto found = object.find(key); found != object.end()) {
    found->get_to(value);
  }
}

template <class Value>
void takeField(const nlohmann::json& object, const char* key, std::optional<Value>& value) {
  if (const auto found = object.find(key); found != object.end()) {
    found->get_to(value.emplace());
  }
}

template <class Variant>
struct KindsOf;
template <class... Alternatives>
struct KindsOf<std::variant<Alternatives...>> {
  static constexpr std::array<const char*, sizeof...(Alternatives)> kNames{Alternatives::kName...};
};

/// An object with the fields of what a variant holds, and its `kind`, one of `names`.
template <class Variant>
void putVariant(nlohmann::json& object, const Variant& value, std::span<const char* const> names) {
  object = nlohmann::json::object();
  std::visit(
      [&](const auto& each) {
        if constexpr (!std::is_empty_v<std::decay_t<decltype(each)>>) {
          object = each;
        }
      },
      value);
  object["kind"] = names[value.index()];
}

template <class Variant, size_t Index = 0>
void takeVariant(const nlohmann::json& object, Variant& value, std::span<const char* const> names) {
  if constexpr (Index == std::variant_size_v<Variant>) {
    throw std::runtime_error("A message between Touchstone's processes has an unknown kind: " + object.dump());
  } else if (object.at("kind") == names[Index]) {
    auto& each = value.template emplace<Index>();
    if constexpr (!std::is_empty_v<std::decay_t<decltype(each)>>) {
      object.get_to(each);
    }
  } else {
    takeVariant<Variant, Index + 1>(object, value, names);
  }
}

} // namespace touchstone::worker

#define TOUCHSTONE_PUT_FIELD(field) touchstone::worker::putField(object, #field, value.field, usual.field);
#define TOUCHSTONE_TAKE_FIELD(field) touchstone::worker::takeField(object, #field, value.field);

#define TOUCHSTONE_JSON_FIELDS_AS(prefix, Type, ...)                              \
  prefix void to_json(nlohmann::json& object, const Type& value) {                \
    const Type usual{};                                                           \
    object = nlohmann::json::object();                                            \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TOUCHSTONE_PUT_FIELD, __VA_ARGS__))  \
  }                                                                               \
  prefix void from_json(const nlohmann::json& object, Type& value) {              \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TOUCHSTONE_TAKE_FIELD, __VA_ARGS__)) \
  }
#define TOUCHSTONE_JSON_FIELDS(Type, ...) TOUCHSTONE_JSON_FIELDS_AS(, Type, __VA_ARGS__)
#define TOUCHSTONE_JSON_OF(Type, ...)                    \
  template <>                                            \
  struct nlohmann::adl_serializer<Type> {                \
    TOUCHSTONE_JSON_FIELDS_AS(static, Type, __VA_ARGS__) \
  };

TOUCHSTONE_JSON_OF(touchstone::ir::OperatorShare, calls, own)
