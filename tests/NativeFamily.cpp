// The native backends and their compilers are there by name in each test of the program.
#include "backends/native/NativeBackends.h"

#include <gtest/gtest.h>

namespace {

class NativeFamily final : public testing::Environment {
  void SetUp() override { touchstone::native::registerNativeBackends(); }
};

[[maybe_unused]] testing::Environment* const kNativeFamily = testing::AddGlobalTestEnvironment(new NativeFamily);

} // namespace
