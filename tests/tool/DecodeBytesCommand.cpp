#include "tests/tool/Commands.h"

#include "base/ExitStatus.h"
#include "base/Interrupt.h"
#include "generators/catalogue/Draw.h"
#include "generators/decoder/Decoder.h"
#include "harness/worker/Progress.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace touchstone::tool {

namespace {

/// `touchstone decode-bytes`, for tests: decodes random byte strings in this process and watches its memory.
struct DecodeBytesOptions {
  uint64_t seed = 0, start = 0, strings = 1'000'000;
  uint64_t warmUp = 10'000; // strings after which the allocated memory is taken as what decoding needs
  double maximumGrowth = 20; // MB from there to the end; with as much or more, exit status 5
};

constexpr uint64_t kLongEvery = 200;
constexpr uint64_t kLongBytes = 6000; // beyond what decode() looks at
constexpr uint64_t kShortBytes = 320;
constexpr int kLinesInBetween = 10;

/// Depends on the seed and the number alone, so that a string that ends the process can be made again.
std::vector<uint8_t> randomBytes(uint64_t seed, uint64_t number) {
  catalogue::Draw draw(catalogue::mix(catalogue::mix(seed) + number), "bytes");
  std::vector<uint8_t> bytes(static_cast<size_t>(draw.below(number % kLongEvery == 0 ? kLongBytes : kShortBytes)));
  for (uint8_t& byte : bytes) {
    byte = static_cast<uint8_t>(draw.next());
  }
  return bytes;
}

base::ExitStatus decodeBytes(const DecodeBytesOptions& options) {
  if (options.strings <= options.warmUp) {
    throw base::WrongUse(fmt::format("Memory is compared from string {} on: ask for more than --strings {}.",
                                     options.warmUp, options.warmUp));
  }
  at::set_num_threads(1);
  setenv("MKL_DISABLE_FAST_MM", "1", 0); // keeps the buffers of the largest matrix products otherwise
  at::globalContext().setUserEnabledMkldnn(false); // keeps code for each shape: 30 MB in the end
  const double begin = worker::wallSeconds();
  int64_t statements = 0;
  double before = 0;
  for (uint64_t i = 0; i < options.strings; ++i) {
    if (base::interruptRequested()) {
      throw base::Interrupted();
    }
    const uint64_t number = options.start + i;
    decoder::DecodeOptions decoding;
    decoding.features = catalogue::featuresOf(options.seed, number);
    const language::Case decoded =
        decoder::decode(catalogue::recipeFromBytes(randomBytes(options.seed, number)), decoding);
    statements += static_cast<int64_t>(decoded.program().body.size());
    if (i + 1 == options.warmUp) {
      before = allocatedMegabytes();
    }
    if (i + 1 == options.warmUp || (i + 1) % (options.strings / kLinesInBetween + 1) == 0) {
      fmt::print("{:9} strings, {:7.1f} s, {:.1f} MB allocated\n", i + 1, worker::wallSeconds() - begin,
                 allocatedMegabytes());
      std::fflush(stdout);
    }
  }
  const double after = allocatedMegabytes();
  fmt::print("{:9} strings, {:7.1f} s, {:.1f} MB allocated; {:.1f} statements a Case; {:.1f} MB more than after {}\n",
             options.strings, worker::wallSeconds() - begin, after,
             static_cast<double>(statements) / static_cast<double>(options.strings), after - before, options.warmUp);
  if (after - before >= options.maximumGrowth) {
    fmt::print(stderr, "Decoding loses memory: less than {:g} MB more would do.\n", options.maximumGrowth);
    return base::ExitStatus::kFailed;
  }
  return base::ExitStatus::kNothingNew;
}

} // namespace

options::Command decodeBytesCommand() {
  const auto asked = std::make_shared<DecodeBytesOptions>();
  return {
      .options = {options::seed(&asked->seed, "Seed of the strings"),
                  options::start(asked->start, "Number of the first string"),
                  {"--strings", &asked->strings, "How many", options::shown()},
                  memoryOptions(asked->warmUp, asked->maximumGrowth)},
      .footer = "",
      .run = [asked](const options::Given&) { return decodeBytes(*asked); },
  };
}

} // namespace touchstone::tool
