#include "oracles/observe/EffectProbe.h"

#include "oracles/observe/TensorBytes.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>

namespace touchstone::observe {
namespace {

constexpr unsigned char kPatterns[] = {0, 1}; // both are values of bool; no byte equals both

/// One tensor object, at one or more positions.
struct Probed {
  at::Tensor tensor;
  bool direct = true; // in this process's memory
  uintptr_t first = 0, end = 0; // addresses
  std::vector<size_t> positions;
  std::vector<char> before;
  std::vector<size_t> changes; // objects that change when this one is written to
};

bool canBeProbed(const at::Tensor& tensor) {
  return hasBytes(tensor) || (!tensor.is_cpu() && tensor.layout() == at::kStrided && tensor.has_storage() &&
                              !tensor.key_set().has(c10::DispatchKey::Python));
}

/// Where its elements begin; for a meta tensor, which in tests stands for one on a device, a place that no
/// other storage has, with a mebibyte behind it.
uintptr_t addressOf(const at::Tensor& tensor) {
  if (tensor.is_meta()) {
    const auto storage = reinterpret_cast<uintptr_t>(tensor.storage().unsafeGetStorageImpl());
    return (storage << 16) + static_cast<uintptr_t>(byteRange(tensor).first);
  }
  return reinterpret_cast<uintptr_t>(tensor.const_data_ptr());
}

/// Memory of a device is addressed as the CPU's is, so what a write there changes is what it changes in any memory in which the
/// tensors lie alike: one on the CPU, laid over the addresses of the group.
std::vector<char> moveToHost(std::vector<Probed>& objects, const std::vector<size_t>& group) {
  uintptr_t first = objects[group.front()].first, end = first;
  for (const size_t index : group) {
    end = std::max(end, objects[index].end);
  }
  std::vector<char> memory(end - first);
  for (const size_t index : group) {
    at::Tensor& tensor = objects[index].tensor;
    tensor = at::from_blob(memory.data() + (objects[index].first - first), tensor.sizes(), tensor.strides(),
                           at::TensorOptions(tensor.scalar_type()));
  }
  return memory;
}

/// Writes to each of the objects whose ranges of addresses are connected.
void probeGroup(std::vector<Probed>& objects, const std::vector<size_t>& group, std::vector<char>& scratch) {
  const std::vector<char> onHost = objects[group.front()].direct ? std::vector<char>() : moveToHost(objects, group);
  for (size_t index : group) {
    objects[index].before.resize(static_cast<size_t>(elementBytes(objects[index].tensor)));
    packElements(objects[index].tensor, objects[index].before.data());
  }
  for (size_t writer : group) {
    Probed& written = objects[writer];
    for (unsigned char pattern : kPatterns) {
      fillElements(written.tensor, pattern);
      for (size_t other : group) {
        const bool known = std::find(written.changes.begin(), written.changes.end(), other) != written.changes.end();
        if (other != writer && !known && !equalsPacked(objects[other].tensor, objects[other].before.data(), scratch)) {
          written.changes.push_back(other);
        }
      }
    }
    unpackElements(written.before.data(), written.tensor);
  }
}

} // namespace

std::vector<EffectObservation> probeEffects(const std::vector<LocatedTensor>& tensors) {
  std::vector<Probed> objects;
  objects.reserve(tensors.size());
  std::vector<const c10::TensorImpl*> identities;
  std::vector<size_t> objectAt(tensors.size());
  bool anyTwice = false;
  at::AutoDispatchBelowADInplaceOrView guard;
  for (size_t position = 0; position < tensors.size(); ++position) {
    const at::Tensor& tensor = tensors[position].second;
    const c10::TensorImpl* identity = tensor.unsafeGetTensorImpl();
    const auto known = std::find(identities.begin(), identities.end(), identity);
    objectAt[position] = static_cast<size_t>(known - identities.begin());
    if (known != identities.end()) {
      objects[objectAt[position]].positions.push_back(position);
      anyTwice = true;
      continue;
    }
    identities.push_back(identity);
    Probed probed;
    probed.positions.push_back(position);
    if (canBeProbed(tensor) && tensor.numel() > 0) {
      probed.direct = hasBytes(tensor);
      probed.tensor = tensor;
      const ByteRange range = byteRange(tensor);
      probed.first = addressOf(tensor);
      probed.end = probed.first + static_cast<uintptr_t>(range.end - range.first);
    }
    objects.push_back(std::move(probed));
  }

  std::vector<size_t> order;
  order.reserve(objects.size());
  for (size_t index = 0; index < objects.size(); ++index) {
    if (objects[index].first != objects[index].end) {
      order.push_back(index);
    }
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return objects[a].first < objects[b].first; });
  std::vector<char> scratch;
  std::vector<size_t> group;
  bool anyGroup = false;
  for (size_t begin = 0; begin < order.size();) {
    uintptr_t end = objects[order[begin]].end;
    size_t next = begin + 1;
    while (next < order.size() && objects[order[next]].first < end) {
      end = std::max(end, objects[order[next++]].end);
    }
    if (next - begin > 1) {
      group.assign(order.begin() + static_cast<std::ptrdiff_t>(begin),
                   order.begin() + static_cast<std::ptrdiff_t>(next));
      probeGroup(objects, group, scratch);
      anyGroup = true;
    }
    begin = next;
  }

  std::vector<EffectObservation> effects;
  if (!anyGroup && !anyTwice) {
    return effects;
  }
  for (size_t position = 0; position < tensors.size(); ++position) {
    const Probed& written = objects[objectAt[position]];
    std::vector<size_t> positions;
    for (size_t same : written.positions) {
      if (same != position && written.first != written.end) {
        positions.push_back(same);
      }
    }
    for (size_t other : written.changes) {
      positions.insert(positions.end(), objects[other].positions.begin(), objects[other].positions.end());
    }
    if (positions.empty()) {
      continue;
    }
    std::sort(positions.begin(), positions.end());
    EffectObservation& effect = effects.emplace_back();
    effect.written = tensors[position].first;
    for (size_t other : positions) {
      effect.changed.push_back(tensors[other].first);
    }
  }
  return effects;
}

} // namespace touchstone::observe
