// SPDX-License-Identifier: Apache-2.0
// A value of a packet case's JSON that knows its place, so that whatever is wrong with it is said
// as "FILE at /pointer: what". Strict: keys that are not expected are refused, and so is a value of
// another type. Refers to the document it was made from, which must outlive it. No state.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/ip_address.hh"
#include "base/mac_address.hh"
#include "tests/node/frames.hh"

namespace rackway::node::testing {

class CaseFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Field {
 public:
  Field(const nlohmann::json& value, std::string file, std::string pointer = "")
      : value_(&value), file_(std::move(file)), pointer_(std::move(pointer)) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw CaseFault(file_ + " at " + (pointer_.empty() ? "/" : pointer_) + ": " + what);
  }

  [[nodiscard]] bool is_text() const { return value_->is_string(); }
  [[nodiscard]] bool is_object() const { return value_->is_object(); }
  [[nodiscard]] bool is_array() const { return value_->is_array(); }
  [[nodiscard]] const nlohmann::json& value() const { return *value_; }
  // The same place with another value, which must outlive it.
  [[nodiscard]] Field with(const nlohmann::json& value) const { return {value, file_, pointer_}; }

  [[nodiscard]] std::string text() const {
    if (!is_text()) refuse("must be a text, is " + value_->dump());
    return value_->get<std::string>();
  }
  [[nodiscard]] bool flag() const {
    if (!value_->is_boolean()) refuse("must be true or false, is " + value_->dump());
    return value_->get<bool>();
  }
  // A whole number, or its hex digits as a text: 34525 or "0x86dd".
  [[nodiscard]] std::uint64_t number(std::uint64_t least, std::uint64_t most) const {
    const auto number = is_text() ? number_of_hex() : number_as_such();
    if (!number) refuse("must be a whole number or \"0x...\", is " + value_->dump());
    if (*number < least || *number > most) {
      refuse(value_->dump() + " is not within " + std::to_string(least) + " to " +
             std::to_string(most));
    }
    return *number;
  }
  // Pairs of hex digits; blanks between them do not matter.
  [[nodiscard]] Bytes octets() const {
    const auto all = text();
    const auto digits = std::count_if(all.begin(), all.end(),
                                      [](unsigned char c) { return std::isxdigit(c) != 0; });
    const auto blanks = std::count(all.begin(), all.end(), ' ');
    if (digits % 2 != 0 || static_cast<std::size_t>(digits + blanks) != all.size()) {
      refuse(value_->dump() + " is not pairs of hex digits");
    }
    return hex(all);
  }
  [[nodiscard]] MacAddress mac() const {
    return parsed(MacAddress::parse(text()), "a MAC address");
  }
  [[nodiscard]] IpAddress address() const {
    return parsed(IpAddress::parse(text()), "an IP address");
  }
  [[nodiscard]] IpAddress address(Family family) const {
    const auto found = address();
    if (found.family() != family) refuse(value_->dump() + " is of the other family");
    return found;
  }

  [[nodiscard]] std::vector<Field> items() const {
    if (!is_array()) refuse("must be an array, is " + value_->dump());
    std::vector<Field> items;
    for (const auto& item : *value_) {
      items.emplace_back(item, file_, pointer_ + "/" + std::to_string(items.size()));
    }
    return items;
  }
  // By key, sorted.
  [[nodiscard]] std::vector<std::pair<std::string, Field>> members() const {
    must_be_object();
    std::vector<std::pair<std::string, Field>> members;
    for (const auto& [key, value] : value_->items()) {
      members.emplace_back(key, Field(value, file_, pointer_ + "/" + key));
    }
    return members;
  }
  // The object itself, none of whose keys is another than these.
  const Field& only(std::initializer_list<const char*> keys) const {
    for (const auto& [key, member] : members()) {
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      std::string known;
      for (const auto* name : keys) known += (known.empty() ? "" : ", ") + std::string(name);
      member.refuse("unknown key; the keys here are: " + known);
    }
    return *this;
  }
  [[nodiscard]] std::optional<Field> find(const std::string& key) const {
    must_be_object();
    const auto member = value_->find(key);
    if (member == value_->end()) return std::nullopt;
    return Field(*member, file_, pointer_ + "/" + key);
  }
  [[nodiscard]] Field at(const std::string& key) const {
    if (auto member = find(key)) return *member;
    refuse("the key \"" + key + "\" is missing");
  }

  // What a key says, or its default.
  template <class Number>
  [[nodiscard]] Number number_or(const std::string& key, Number otherwise,
                                 std::uint64_t most = std::numeric_limits<Number>::max()) const {
    const auto member = find(key);
    return member ? static_cast<Number>(member->number(0, most)) : otherwise;
  }
  [[nodiscard]] MacAddress mac_or(const std::string& key, const MacAddress& otherwise) const {
    const auto member = find(key);
    return member ? member->mac() : otherwise;
  }
  [[nodiscard]] Bytes octets_or(const std::string& key, const Bytes& otherwise) const {
    const auto member = find(key);
    return member ? member->octets() : otherwise;
  }
  [[nodiscard]] bool flag_or(const std::string& key, bool otherwise) const {
    const auto member = find(key);
    return member ? member->flag() : otherwise;
  }

 private:
  void must_be_object() const {
    if (!is_object()) refuse("must be an object, is " + value_->dump());
  }
  [[nodiscard]] std::optional<std::uint64_t> number_as_such() const {
    if (!value_->is_number_unsigned()) return std::nullopt;
    return value_->get<std::uint64_t>();
  }
  [[nodiscard]] std::optional<std::uint64_t> number_of_hex() const {
    const auto all = text();
    std::uint64_t number = 0;
    const auto* const end = all.data() + all.size();
    if (!all.starts_with("0x")) return std::nullopt;
    const auto read = std::from_chars(all.data() + 2, end, number, 16);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return number;
  }
  template <class Value>
  [[nodiscard]] Value parsed(const std::optional<Value>& value, const char* what) const {
    if (!value) refuse(value_->dump() + " is not " + what);
    return *value;
  }

  const nlohmann::json* value_;
  std::string file_;
  std::string pointer_;
};

}  // namespace rackway::node::testing
