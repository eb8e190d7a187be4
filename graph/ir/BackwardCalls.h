#pragma once

namespace touchstone::ir {

/// In a captured backward (CapturedBackward.h), the callable that sets the `.grad` of a leaf that has none: its arguments are the
/// gradient and the number of the node that accumulates, as in its origin (`NodeCall 4`).
constexpr const char* kSetGrad = "compiled_autograd::set_grad";

} // namespace touchstone::ir
