// Runs a target's function on stored inputs, without libFuzzer and with any compiler:
//   replay_TARGET [--mutations=N] [the target's own flags] FILE-OR-FOLDER…
// Inputs that are Recipes are then changed N times each, and joined with their neighbours, and run again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" {
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
[[gnu::weak]] int LLVMFuzzerInitialize(int* count, char*** arguments);
[[gnu::weak]] size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maximum, unsigned seed);
[[gnu::weak]] size_t LLVMFuzzerCustomCrossOver(const uint8_t* first, size_t firstSize, const uint8_t* second,
                                               size_t secondSize, uint8_t* out, size_t maximum, unsigned seed);
}

namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kMaximumBytes = 16 * 48;
const std::string kMutations = "--mutations=";

std::vector<std::filesystem::path> filesOf(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(path)) {
    return {path};
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

Bytes bytesOf(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    std::fprintf(stderr, "`%s` cannot be read.\n", file.c_str());
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(stream), {}};
}

void run(const Bytes& input) {
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

int runChanged(const std::vector<Bytes>& inputs, unsigned mutations) {
  if (LLVMFuzzerCustomMutator == nullptr || LLVMFuzzerCustomCrossOver == nullptr) {
    return 0;
  }
  int runs = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Bytes changed = inputs[i];
    for (unsigned seed = 0; seed < mutations; ++seed, ++runs) {
      const size_t size = std::min(changed.size(), kMaximumBytes);
      changed.resize(kMaximumBytes);
      changed.resize(LLVMFuzzerCustomMutator(changed.data(), size, kMaximumBytes, seed));
      run(changed);
    }
    const Bytes& next = inputs[(i + 1) % inputs.size()];
    Bytes joined(kMaximumBytes);
    joined.resize(LLVMFuzzerCustomCrossOver(changed.data(), changed.size(), next.data(), next.size(), joined.data(),
                                            kMaximumBytes, static_cast<unsigned>(i)));
    run(joined);
    ++runs;
  }
  return runs;
}

} // namespace

int main(int count, char** arguments) {
  if (LLVMFuzzerInitialize != nullptr) {
    LLVMFuzzerInitialize(&count, &arguments);
  }
  unsigned mutations = 0;
  std::vector<Bytes> inputs;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument.rfind(kMutations, 0) == 0) {
      mutations = static_cast<unsigned>(std::strtoul(argument.c_str() + kMutations.size(), nullptr, 10));
      continue;
    }
    for (const std::filesystem::path& file : filesOf(argument)) {
      inputs.push_back(bytesOf(file));
      run(inputs.back());
    }
  }
  if (inputs.empty()) {
    std::fputs("Name files, or folders of them, that hold inputs of this target.\n", stderr);
    return 2;
  }
  const int changed = runChanged(inputs, mutations);
  std::printf("%zu stored inputs and %d changed ones, nothing found\n", inputs.size(), changed);
  return 0;
}
