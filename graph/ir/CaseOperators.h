#pragma once

#include <string>
#include <string_view>

namespace touchstone::ir {

// A custom operator of a Case, `mine::scale`, is an operator of libtorch's dispatcher while the Case runs, in a namespace that
// other Cases do not use meanwhile: `mine__case_3::scale`. Two Cases may call different operators the same.

constexpr std::string_view kCaseMark = "__case_";
/// What is behind the name of an operator that writes, of the one that gives what it would have written.
constexpr const char* kFunctionalSuffix = "_functional";

inline bool isCaseOperator(std::string_view target) {
  return target.substr(0, target.find("::")).find(kCaseMark) != std::string_view::npos;
}

/// The target as the file has it; others as they are.
inline std::string withoutCaseMark(const std::string& target) {
  const size_t colons = target.find("::");
  const size_t mark = target.find(kCaseMark);
  return mark < colons && colons != std::string::npos ? target.substr(0, mark) + target.substr(colons) : target;
}

} // namespace touchstone::ir
