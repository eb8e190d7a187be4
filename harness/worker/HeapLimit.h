#pragma once

namespace touchstone::worker {

/// From now on a process that has used up its memory aborts, with the place in its Progress, as soon as `operator new`
/// finds none: whatever ran then may have left anything half done, and what runs next would find no memory either. A single
/// request that is too large, with memory left for others, throws std::bad_alloc as ever.
void endWhenHeapIsUsedUp();

} // namespace touchstone::worker
