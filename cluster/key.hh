// SPDX-License-Identifier: Apache-2.0
// Keys of CURVE (Curve25519), by which the two ends of a channel know each other. As text a key is
// 64 hex digits, which a shell, JSON and a file name take as they are. A secret one has no text
// but in its file, and is wiped from memory with the object that holds it.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hh"

namespace rackway::cluster {

inline constexpr std::size_t kKeyBytes = 32;
inline constexpr std::size_t kKeyDigits = 2 * kKeyBytes;
using KeyBytes = std::array<std::uint8_t, kKeyBytes>;

struct PublicKey {
  KeyBytes bytes{};
  auto operator<=>(const PublicKey&) const = default;
  [[nodiscard]] std::string text() const;
};

class SecretKey {
 public:
  SecretKey() = default;
  explicit SecretKey(const KeyBytes& bytes) : bytes_(bytes) {}
  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;
  ~SecretKey();
  [[nodiscard]] const KeyBytes& bytes() const { return bytes_; }
  [[nodiscard]] PublicKey public_half() const;

 private:
  KeyBytes bytes_{};
};

struct KeyPair {
  PublicKey open;
  SecretKey secret;
};

// What a node needs to know and to be known.
struct NodeKeys {
  KeyPair own;
  PublicKey controller;
};

[[nodiscard]] KeyPair new_key_pair();

// The error does not repeat the text, which may be a secret.
[[nodiscard]] Result<PublicKey> parse_public_key(std::string_view text);
[[nodiscard]] Result<SecretKey> parse_secret_key(std::string_view text);

// Into room for kKeyDigits.
void write_digits(const KeyBytes& bytes, char* digits);

}  // namespace rackway::cluster
