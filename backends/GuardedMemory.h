#pragma once

namespace touchstone::backends {

/// From now on the memory beside each block of a tensor belongs to nobody and is watched. Where it is not, a bug that is planted
/// to write there would harm whoever embeds this.
void noteGuardedMemory();
bool isMemoryGuarded();

} // namespace touchstone::backends
