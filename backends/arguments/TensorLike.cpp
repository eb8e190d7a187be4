#include "backends/arguments/TensorLike.h"

#include "backends/arguments/Leaf.h"
#include "backends/arguments/VersionSharing.h"
#include "backends/arguments/ViewBase.h"
#include "program/values/AutogradNodes.h"
#include "program/values/StorageCopy.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace touchstone::arguments {

namespace {

/// Bytes of the memory of `like` up to the last one that a tensor lying so reads.
size_t bytesOf(const at::Tensor& like, at::IntArrayRef sizes, at::IntArrayRef strides, int64_t offset) {
  return at::detail::computeStorageNbytes(sizes, strides, like.element_size(), static_cast<size_t>(offset));
}

size_t bytesOf(const at::Tensor& tensor) {
  return bytesOf(tensor, tensor.sizes(), tensor.strides(), tensor.storage_offset());
}

/// Plain memory, all of which is there.
bool isPlain(const at::Tensor& tensor) {
  return tensor.is_cpu() && !tensor.is_conj() && !tensor.is_neg() && tensor.storage().nbytes() >= bytesOf(tensor);
}

/// Of plain tensors, `made` contiguous: values of `like`, over and over.
void repeatInto(const at::Tensor& made, const at::Tensor& like) {
  const at::Tensor flat = like.contiguous();
  auto* memory = static_cast<char*>(made.mutable_data_ptr());
  size_t written = std::min(made.nbytes(), flat.nbytes());
  std::memcpy(memory, flat.const_data_ptr(), written);
  while (written < made.nbytes()) { // what was written is the values once or several times
    const size_t next = std::min(written, made.nbytes() - written);
    std::memcpy(memory + written, memory, next);
    written += next;
  }
}

/// Values of `like`, over and over; of what is seen several times once.
void fillLike(at::Tensor made, const at::Tensor& like) {
  if (made.numel() == 0 || like.numel() == 0) {
    return;
  }
  if (isPlain(like) && made.is_contiguous()) {
    repeatInto(made, like);
    return;
  }
  const std::vector<int64_t> sizes = made.sizes().vec(), strides = made.strides().vec();
  const at::Tensor flat = like.contiguous().view(-1);
  at::Tensor values = flat.repeat({(made.numel() + flat.numel() - 1) / flat.numel()}).slice(0, 0, made.numel());
  values = values.view(sizes);
  for (size_t d = 0; d < strides.size(); ++d) {
    if (strides[d] == 0) {
      made = made.narrow(static_cast<int64_t>(d), 0, 1);
      values = values.narrow(static_cast<int64_t>(d), 0, 1);
    }
  }
  made.copy_(values);
}

void makeComputed(const at::Tensor& tensor) {
  auto node = values::makeNode<torch::autograd::Error>("A tensor that stands for another has no backward.");
  const auto number = node->add_input_metadata(tensor);
  torch::autograd::impl::set_gradient_edge(tensor, {std::move(node), number});
}

class TensorsLike {
 public:
  TensorsLike(const std::vector<at::Tensor>& likes, const std::vector<ir::TensorMetadata>& geometries,
              const std::map<const c10::StorageImpl*, int64_t>& bytes)
      : likes_(likes), geometries_(geometries), bytes_(bytes), made_(likes.size()) {}

  std::vector<at::Tensor> make() {
    for (size_t i = 0; i < likes_.size(); ++i) {
      measure(i);
    }
    for (const bool isView : {false, true}) {
      for (size_t i = 0; i < likes_.size(); ++i) {
        if ((differentiableBase(likes_[i]) != nullptr) == isView) {
          made_[i] = isView ? viewOfMade(i) : plain(i);
          if (likes_[i].requires_grad()) {
            requireGrad(i);
          }
        }
      }
    }
    return std::move(made_);
  }

 private:
  struct Memory {
    size_t like = 0, made = 0; // bytes up to the last that some tensor reads
    c10::Storage storage;
  };

  Memory& memoryOf(size_t number) { return memories_[likes_[number].storage().unsafeGetStorageImpl()]; }

  void measure(size_t number) {
    const at::Tensor& like = likes_[number];
    const ir::TensorMetadata& geometry = geometries_[number];
    Memory& memory = memoryOf(number);
    memory.like = std::max(memory.like, bytesOf(like));
    memory.made = std::max(memory.made, bytesOf(like, geometry.sizes, geometry.strides, geometry.offset));
  }

  const c10::Storage& storageOf(size_t number) {
    const at::Tensor& like = likes_[number];
    Memory& memory = memoryOf(number);
    if (!memory.storage) {
      const auto wanted = bytes_.find(like.storage().unsafeGetStorageImpl());
      const size_t behind = like.storage().nbytes() - std::min(like.storage().nbytes(), memory.like);
      const size_t bytes =
          wanted == bytes_.end() ? memory.made + behind : std::max(memory.made, static_cast<size_t>(wanted->second));
      memory.storage =
          at::zeros({static_cast<int64_t>(bytes)}, at::TensorOptions(at::kByte).device(like.device())).storage();
    }
    return memory.storage;
  }

  at::Tensor over(size_t number) { return values::tensorOver(storageOf(number), geometries_[number]); }

  /// No view.
  at::Tensor plain(size_t number) {
    at::Tensor made = over(number);
    const at::Tensor& like = likes_[number];
    fillLike(made, like.detach());
    for (size_t i = 0; i < number; ++i) { // one counts the writes to several, as with detach()
      if (made_[i].defined() && versionIdentity(like) != nullptr &&
          versionIdentity(likes_[i]) == versionIdentity(like)) {
        return aliasCountedWith(made, made_[i]);
      }
    }
    return made;
  }

  at::Tensor viewOfMade(size_t number) {
    const at::Tensor& like = likes_[number];
    const at::Tensor* base = differentiableBase(like);
    const auto found = std::ranges::find_if(likes_, [&](const at::Tensor& each) { return each.is_same(*base); });
    TORCH_INTERNAL_ASSERT(found != likes_.end(), "the base of a view is missing");
    const auto creation = torch::autograd::impl::get_view_autograd_meta(like)->get_creation_meta();
    at::Tensor made = viewLike(like, made_[static_cast<size_t>(found - likes_.begin())], over(number), creation);
    if (isStaleView(like)) {
      makeStaleView(made, nullptr);
    }
    return made;
  }

  void requireGrad(size_t number) {
    if (isLeafNow(likes_[number])) {
      made_[number].set_requires_grad(true);
    } else {
      makeComputed(made_[number]);
    }
  }

  const std::vector<at::Tensor>& likes_;
  const std::vector<ir::TensorMetadata>& geometries_;
  const std::map<const c10::StorageImpl*, int64_t>& bytes_;
  std::map<const c10::StorageImpl*, Memory> memories_;
  std::vector<at::Tensor> made_;
};

} // namespace

std::vector<at::Tensor> tensorsLike(const std::vector<at::Tensor>& likes,
                                    const std::vector<ir::TensorMetadata>& geometries,
                                    const std::map<const c10::StorageImpl*, int64_t>& bytes) {
  TORCH_INTERNAL_ASSERT(likes.size() == geometries.size(), likes.size(), " tensors like ", geometries.size());
  const c10::InferenceMode noInference(false); // those that are like none of it may be made in it
  const at::NoGradGuard noGrad;
  return TensorsLike(likes, geometries, bytes).make();
}

} // namespace touchstone::arguments
