#pragma once

#include <c10/core/ScalarType.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace touchstone::catalogue {

/// What the Cases of a campaign shall not hold, each with the entry of a profile that says so, and which of these entries
/// made the Case at hand another one than it would have been.
struct Exclusions {
  std::map<std::string, std::string, std::less<>> operators; // of the catalogue; `clone` always takes part
  std::map<at::ScalarType, std::string> dtypes; // of arguments, and of what an operation returns
  std::set<std::string> hit; // entries

  bool excludes(std::string_view operatorName) const { return operators.find(operatorName) != operators.end(); }
  bool excludes(at::ScalarType dtype) const { return dtypes.find(dtype) != dtypes.end(); }
  /// Notes that the operator would have been used; false: it is not excluded.
  bool refuses(std::string_view operatorName) {
    const auto found = operators.find(operatorName);
    if (found != operators.end()) {
      hit.insert(found->second);
    }
    return found != operators.end();
  }
  /// The same for a dtype.
  bool refuses(at::ScalarType dtype) {
    const auto found = dtypes.find(dtype);
    if (found != dtypes.end()) {
      hit.insert(found->second);
    }
    return found != dtypes.end();
  }
};

} // namespace touchstone::catalogue
