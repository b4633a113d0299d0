// SPDX-License-Identifier: Apache-2.0
// Reads JSON strictly: what nlohmann::json would let pass (a key given twice, any nesting) is
// refused, and every value knows its JSON pointer (RFC 6901), so that a fault names its place.
// Private to topo. All faults are StartupErrors: what is wrong, "FILE at /pointer", what to do.
// A JsonValue refers to the document and the file name it was made from; both must outlive it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rackway::topo {

inline constexpr std::size_t kMaxJsonDepth = 16;      // objects and arrays around a value
inline constexpr std::size_t kMaxJsonTextSize = 255;  // characters of a text value

// The text as JSON. Refuses bad syntax (with line and column), a key given twice in an object and
// nesting deeper than kMaxJsonDepth.
[[nodiscard]] nlohmann::json parse_json(const std::string& text, const std::string& file);

// Throws the StartupError of the place.
[[noreturn]] void refuse_at(const std::string& file, const std::string& pointer,
                            const std::string& what, const std::string& what_to_do);

// The text as a JSON string literal of ASCII only, shortened: safe in a message of one line.
[[nodiscard]] std::string in_quotes(std::string_view text);

class JsonValue {
 public:
  JsonValue(const nlohmann::json& value, const std::string& file, std::string pointer)
      : value_(&value), file_(&file), pointer_(std::move(pointer)) {}

  // A text of 1 to kMaxJsonTextSize printable ASCII characters.
  [[nodiscard]] std::string text() const;
  // Such a text of at most `most` letters, digits and the given punctuation.
  [[nodiscard]] std::string name(std::string_view punctuation, std::size_t most) const;
  // A whole number within the bounds, both included.
  [[nodiscard]] std::uint64_t number(std::uint64_t least, std::uint64_t most) const;
  // The entries of an array of least to most entries.
  [[nodiscard]] std::vector<JsonValue> items(std::size_t least, std::size_t most) const;

  [[noreturn]] void refuse(const std::string& what, const std::string& what_to_do) const {
    refuse_at(*file_, pointer_, what, what_to_do);
  }

 private:
  friend class JsonObject;
  [[nodiscard]] std::string shown() const;  // for messages: the value, or of what type it is

  const nlohmann::json* value_;
  const std::string* file_;
  std::string pointer_;
};

// An object whose keys are all known: the constructor refuses others.
class JsonObject {
 public:
  JsonObject(JsonValue value, std::initializer_list<const char*> known_keys);

  [[nodiscard]] JsonValue at(const std::string& key) const;  // refuses an object without it
  [[nodiscard]] std::optional<JsonValue> find(const std::string& key) const;

  [[noreturn]] void refuse(const std::string& what, const std::string& what_to_do) const {
    value_.refuse(what, what_to_do);
  }

 private:
  JsonValue value_;
};

}  // namespace rackway::topo
