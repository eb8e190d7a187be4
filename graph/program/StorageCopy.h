#pragma once

#include <c10/core/Storage.h>

namespace touchstone::graph {

/// The bytes of a storage in a new one on the same device.
c10::Storage copyOfStorage(const c10::Storage& storage);

} // namespace touchstone::graph
