// Writes inputs for the fuzzers to begin with: `fuzzer_seeds FOLDER [NUMBER]` makes FOLDER/recipe (for decode, native and torch)
// and FOLDER/parse, with NUMBER inputs each: Cases of a campaign, as bytes and as text.
#include "harness/fuzzers/RecipeInput.h"
#include "program/standalone/CaseFile.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr uint64_t kSeeds = 64;

void writeFile(const std::filesystem::path& path, const void* bytes, size_t size) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  if (!stream.flush()) {
    std::fprintf(stderr, "`%s` cannot be written.\n", path.c_str());
    std::exit(2);
  }
}

} // namespace

int main(int count, char** arguments) {
  using namespace touchstone;
  if (count < 2 || count > 3) {
    std::fputs("Usage: fuzzer_seeds FOLDER [NUMBER]\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  const uint64_t number = count == 3 ? std::strtoull(arguments[2], nullptr, 10) : kSeeds;
  std::filesystem::create_directories(folder / "recipe");
  std::filesystem::create_directories(folder / "parse");
  for (uint64_t index = 0; index < number; ++index) {
    const fuzzers::RecipeInput input = fuzzers::seedInput(index);
    const std::vector<uint8_t> bytes = fuzzers::inputBytes(input);
    writeFile(folder / "recipe" / std::to_string(index), bytes.data(), bytes.size());
    const std::string text = standalone::printCase(fuzzers::decodeInput(input));
    writeFile(folder / "parse" / std::to_string(index), text.data(), text.size());
  }
  std::printf("%llu inputs in `%s` and `%s`\n", static_cast<unsigned long long>(number), (folder / "recipe").c_str(),
              (folder / "parse").c_str());
  return 0;
}
