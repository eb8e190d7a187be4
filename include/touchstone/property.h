#pragma once

#include <touchstone/property_campaign.h>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

/// A compiler as a property of GoogleTest and rapidcheck: whatever the program, compiled it is still the program.
///
///   aot::GraphFunction MyBackend(const ir::Graph& graph, const aot::Tensors& examples);
///   TOUCHSTONE_PROPERTY(MyBackend)
///   TOUCHSTONE_PROPERTY(MyBackend, .cases = 500, .without = {"mutation"})
///
/// defines the test TouchstoneProperty.MyBackend: random Cases, each run eagerly and through the backend in this process, with
/// everything compared that Touchstone compares; the first that differs is reduced and written as a case file, which the test
/// judges before anything else from then on. Link touchstone::property (docs/own_backend.md). A backend that ends the process
/// ends the test: `touchstone fuzz` isolates it.
namespace touchstone::property {

namespace detail {

/// As rapidcheck is told by RC_PARAMS.
inline rc::detail::TestParams paramsOf(const Options& options) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  const char* given = std::getenv("RC_PARAMS");
  if (given == nullptr || std::string_view(given).find("max_success") == std::string_view::npos) {
    params.maxSuccess = options.cases;
  }
  return params;
}

inline void check(const std::string& name, const Backend& backend, const Options& options) {
  Campaign campaign(name, backend, options);
  if (const std::string stored = campaign.replayStored(); !stored.empty()) {
    FAIL() << stored;
  }
  const rc::detail::TestParams params = paramsOf(options);
  rc::detail::TestMetadata metadata;
  metadata.id = "TouchstoneProperty/" + name;
  metadata.description = name;
  const auto property = [&] {
    // The whole number at once, and never another one instead: the reducer makes Cases smaller, not rapidcheck.
    const uint64_t number = *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<uint64_t>()));
    if (const std::string failure = campaign.judge(number); !failure.empty()) {
      RC_FAIL(failure);
    }
  };
  const auto result = rc::detail::checkTestable(property, metadata, params);
  std::cout << name << ": " << campaign.summary() << std::endl;
  if (!result.template is<rc::detail::SuccessResult>()) {
    std::ostringstream text;
    rc::detail::printResultMessage(result, text);
    FAIL() << text.str() << "\nThe same Cases again: RC_PARAMS=\"seed=" << params.seed << "\"";
  }
  if (const std::string trouble = campaign.trouble(); !trouble.empty()) {
    FAIL() << trouble;
  }
}

} // namespace detail

} // namespace touchstone::property

/// Defines the test TouchstoneProperty.NAME, NAME being what is tested: something that a property::Backend is made of. Options by
/// name follow.
#define TOUCHSTONE_PROPERTY(NAME, ...)                                                                \
  TEST(TouchstoneProperty, NAME) {                                                                    \
    ::touchstone::property::detail::check(#NAME, NAME, ::touchstone::property::Options{__VA_ARGS__}); \
  }
