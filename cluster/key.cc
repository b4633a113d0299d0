// SPDX-License-Identifier: Apache-2.0
#include "cluster/key.hh"

#include <string.h>  // explicit_bzero
#include <zmq.h>

#include <algorithm>
#include <cassert>

namespace rackway::cluster {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kZ85Room = 41;  // ZeroMQ's own text form, with the zero at its end

struct Z85 {
  char text[kZ85Room]{};
  ~Z85() { ::explicit_bzero(text, sizeof text); }
};

int value_of(char digit) {
  if (digit >= 'A' && digit <= 'F') digit = static_cast<char>(digit - 'A' + 'a');
  const auto at = kDigits.find(digit);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

Result<void> parse(std::string_view text, KeyBytes& bytes) {
  if (text.size() != kKeyDigits) {
    return fail("it has " + std::to_string(text.size()) + " characters, a key has " +
                std::to_string(kKeyDigits) + " hex digits");
  }
  for (std::size_t i = 0; i < kKeyBytes; ++i) {
    const int high = value_of(text[2 * i]), low = value_of(text[2 * i + 1]);
    if (high < 0 || low < 0) {
      return fail("character " + std::to_string(2 * i + (high < 0 ? 1 : 2)) + " is no hex digit");
    }
    bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  if (std::ranges::all_of(bytes, [](auto byte) { return byte == 0; })) {
    return fail("it is all zero, which is nobody's key");
  }
  return {};
}

void from_z85(const Z85& z85, KeyBytes& bytes) {
  [[maybe_unused]] const auto* decoded = zmq_z85_decode(bytes.data(), z85.text);
  assert(decoded != nullptr);
}

}  // namespace

void write_digits(const KeyBytes& bytes, char* digits) {
  for (std::size_t i = 0; i < kKeyBytes; ++i) {
    digits[2 * i] = kDigits[bytes[i] >> 4];
    digits[2 * i + 1] = kDigits[bytes[i] & 0xf];
  }
}

std::string PublicKey::text() const {
  std::string digits(kKeyDigits, '0');
  write_digits(bytes, digits.data());
  return digits;
}

SecretKey::~SecretKey() {
  ::explicit_bzero(bytes_.data(), bytes_.size());
}

PublicKey SecretKey::public_half() const {
  Z85 secret, open;
  zmq_z85_encode(secret.text, bytes_.data(), kKeyBytes);
  zmq_curve_public(open.text, secret.text);
  PublicKey key;
  from_z85(open, key.bytes);
  return key;
}

KeyPair new_key_pair() {
  Z85 secret, open;
  zmq_curve_keypair(open.text, secret.text);
  KeyBytes bytes;
  from_z85(secret, bytes);
  KeyPair pair{.open = {}, .secret = SecretKey(bytes)};
  ::explicit_bzero(bytes.data(), bytes.size());
  from_z85(open, pair.open.bytes);
  return pair;
}

Result<PublicKey> parse_public_key(std::string_view text) {
  PublicKey key;
  if (auto parsed = parse(text, key.bytes); !parsed) return tl::unexpected(parsed.error());
  return key;
}

Result<SecretKey> parse_secret_key(std::string_view text) {
  KeyBytes bytes;
  const auto parsed = parse(text, bytes);
  const SecretKey key(bytes);
  ::explicit_bzero(bytes.data(), bytes.size());
  if (!parsed) return tl::unexpected(parsed.error());
  return key;
}

}  // namespace rackway::cluster
