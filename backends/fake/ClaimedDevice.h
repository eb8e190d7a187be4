#pragma once

#include <c10/core/Device.h>

namespace touchstone::fake {

/// Lets fake tensors be on `device` although libtorch has no support for its type here, as a CPU build has none for
/// CUDA: autograd asks for the stream of every tensor that it sees. Where nothing is registered for the type, a device
/// guard is that has one stream and counts no devices. It does not run kernels, and the process does not report the
/// device as available. Thread-safe; for a device that is supported it does nothing.
void claimDevice(c10::Device device);

} // namespace touchstone::fake
