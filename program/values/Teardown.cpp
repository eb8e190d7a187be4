#include "program/values/Teardown.h"

#include <utility>
#include <vector>

namespace touchstone::values {
namespace {

using Deletion = std::pair<void*, void (*)(void*)>;

thread_local std::vector<Deletion> waiting;
thread_local bool busy = false;

void takeApart(Deletion first) {
  waiting.push_back(first);
  if (std::exchange(busy, true)) {
    return; // inside the loop below, which comes to it
  }
  while (!waiting.empty()) {
    const Deletion next = waiting.back();
    waiting.pop_back();
    next.second(next.first);
  }
  busy = false;
}

template <class Object>
struct TakeApart {
  void operator()(Object* object) const {
    takeApart({object, [](void* each) { delete static_cast<Object*>(each); }});
  }
};

} // namespace

ListPtr makeShared(ListObject list) {
  return ListPtr(new ListObject(std::move(list)), TakeApart<ListObject>());
}

TuplePtr makeShared(TupleObject tuple) {
  return TuplePtr(new TupleObject(std::move(tuple)), TakeApart<TupleObject>());
}

DictPtr makeShared(DictObject dict) {
  return DictPtr(new DictObject(std::move(dict)), TakeApart<DictObject>());
}

} // namespace touchstone::values
