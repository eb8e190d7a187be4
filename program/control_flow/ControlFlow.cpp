#include "program/control_flow/ControlFlow.h"

#include <algorithm>
#include <map>

namespace touchstone::control_flow {
namespace {

using Function = values::Value (*)(const Host&, const values::ValueList&, const Keywords&);

const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> table = {{"cond", cond},
                                                        {"while_loop", whileLoop},
                                                        {"_higher_order_ops.while_loop", whileLoop},
                                                        {"_higher_order_ops.scan", scan},
                                                        {"_higher_order_ops.associative_scan", associativeScan},
                                                        {"_higher_order_ops.map", map}};
  return table;
}

} // namespace

bool isControlFlow(const std::string& path) {
  return functions().contains(path);
}

bool mayBeControlFlow(std::string_view lastName) {
  return std::ranges::any_of(functions(), [&](const auto& each) { return each.first.ends_with(lastName); });
}

values::Value call(const std::string& path, const Host& host, const values::ValueList& positional,
                   const Keywords& keywords) {
  return functions().at(path)(host, positional, keywords);
}

} // namespace touchstone::control_flow
