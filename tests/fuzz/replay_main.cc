// SPDX-License-Identifier: Apache-2.0
// Runs a fuzzer's entrance over the files of a folder, if there is one, and over inputs made of
// them and at random: the same ones in every run. A fault ends the process, as in the fuzzer.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

// What a fuzzer has, and may have.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed)
    __attribute__((weak));

namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr int kInputs = 20'000;
constexpr std::size_t kLongest = 300, kRarelyLongest = 2000;

std::vector<Bytes> kept_in(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Bytes> kept;
  for (const auto& file : files) {
    std::ifstream from(file, std::ios::binary);
    kept.emplace_back(std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>());
  }
  return kept;
}

Bytes at_random(std::mt19937& random) {
  Bytes bytes(random() % (random() % 16 == 0 ? kRarelyLongest : kLongest));
  // Few values, so that fields are equal or at their ends often.
  const bool few = random() % 2 == 0;
  constexpr std::uint8_t kEnds[] = {0, 1, 0x45, 0x60, 0x7f, 0x80, 0xfe, 0xff};
  for (auto& byte : bytes) {
    byte = few ? kEnds[random() % std::size(kEnds)] : static_cast<std::uint8_t>(random());
  }
  return bytes;
}

Bytes changed(Bytes bytes, std::mt19937& random) {
  for (auto changes = 1 + random() % 4; changes > 0 && !bytes.empty(); --changes) {
    bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
  }
  if (random() % 4 == 0) bytes.resize(random() % (bytes.size() + 1));
  return bytes;
}

// With the fuzzer's own way of changing inputs, if it has one.
Bytes as_it_would(Bytes bytes, std::mt19937& random) {
  if (LLVMFuzzerCustomMutator == nullptr) return bytes;
  const std::size_t size = bytes.size(), most = size + kLongest;
  bytes.resize(most);
  const auto seed = static_cast<unsigned>(random());
  bytes.resize(LLVMFuzzerCustomMutator(bytes.data(), size, most, seed));
  return bytes;
}

}  // namespace

// libFuzzer's own; a custom mutator calls it.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) {
  static std::mt19937 random(2);
  Bytes bytes = changed({data, data + size}, random);
  bytes.resize(std::min(bytes.size(), most));
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

int main(int argc, char** argv) {
  const auto kept = kept_in(argc > 1 ? argv[1] : "");
  for (const auto& bytes : kept) LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  std::mt19937 random(1);
  for (int i = 0; i < kInputs; ++i) {
    const bool of_kept = !kept.empty() && random() % 2 == 0;
    auto bytes = of_kept ? changed(kept[random() % kept.size()], random) : at_random(random);
    if (random() % 2 == 0) bytes = as_it_would(std::move(bytes), random);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%zu kept inputs, %d others\n", kept.size(), kInputs);
  return 0;
}
