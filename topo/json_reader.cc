// SPDX-License-Identifier: Apache-2.0
#include "topo/json_reader.hh"

#include <algorithm>
#include <set>
#include <utility>

#include "base/startup_error.hh"

namespace rackway::topo {
namespace {

using nlohmann::json;

constexpr std::size_t kShownSize = 64;

bool is_printable(char c) {
  return c >= 0x20 && c <= 0x7e;
}

bool is_letter_or_digit(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// One step of a pointer: "~" and "/" are written "~0" and "~1" (RFC 6901 section 3).
std::string pointer_step(std::string_view key) {
  std::string escaped;
  for (const char c : key) {
    if (c == '~') escaped += "~0";
    if (c == '/') escaped += "~1";
    if (c != '~' && c != '/') escaped += c;
  }
  const auto literal = in_quotes(escaped);
  return "/" + literal.substr(1, literal.size() - 2);
}

std::string line_and_column(const std::string& text, std::size_t offset) {
  const auto before = std::string_view(text).substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto start = before.rfind('\n') + 1;                         // npos + 1 is 0
  const auto continues = [](char c) { return (c & 0xc0) == 0x80; };  // inside a UTF-8 character
  const auto column =
      1 + before.size() - start - std::count_if(before.begin() + start, before.end(), continues);
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

// nlohmann's message without its number, its position and the raw input that it repeats.
std::string reason_of(const json::exception& fault) {
  std::string reason = fault.what();
  reason.erase(0, reason.find("] ") + 2);
  if (reason.starts_with("parse error")) reason.erase(0, reason.find(": ") + 2);
  reason.erase(std::min(reason.size(), reason.find("; last read")));
  if (const auto at = reason.find(';'); at != std::string::npos) reason[at] = ',';
  return reason;
}

// Walks over the text before a value is built from it. Keeps, for each object or array around the
// current place, what is needed to name that place and to see a key a second time.
class StrictnessCheck : public nlohmann::json_sax<json> {
 public:
  StrictnessCheck(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    around_.back().key = key;
    if (!around_.back().keys.insert(key).second) {
      refuse_at(file_, pointer(), "the key " + in_quotes(key) + " is given twice",
                "remove one of them");
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const json::exception& fault) override {
    const auto offset = std::min(text_.size(), position - std::min<std::size_t>(position, 1));
    throw StartupError("not valid JSON: " + reason_of(fault),
                       file_ + " at " + line_and_column(text_, offset),
                       "correct it, the file must be JSON in UTF-8");
  }

 private:
  struct Around {
    bool is_array;
    std::size_t index;  // of the current entry of an array
    std::string key;    // of the current member of an object
    std::set<std::string> keys;
  };

  bool value() {
    if (!around_.empty()) ++around_.back().index;
    return true;
  }

  bool open(bool is_array) {
    if (around_.size() == kMaxJsonDepth) {
      refuse_at(file_, pointer(), "nested deeper than " + std::to_string(kMaxJsonDepth) + " levels",
                "see docs/cluster_document.md for what may stand here");
    }
    around_.push_back({is_array, 0, {}, {}});
    return true;
  }

  bool close() {
    around_.pop_back();
    return value();
  }

  [[nodiscard]] std::string pointer() const {
    std::string path;
    for (const auto& around : around_) {
      path += around.is_array ? "/" + std::to_string(around.index) : pointer_step(around.key);
    }
    return path;
  }

  const std::string& text_;
  const std::string& file_;
  std::vector<Around> around_;
};

std::string bounds(std::uint64_t least, std::uint64_t most) {
  if (least == most) return "exactly " + std::to_string(least);
  return std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace

json parse_json(const std::string& text, const std::string& file) {
  StrictnessCheck check(text, file);
  json::sax_parse(text, &check);  // throws at the first fault
  return json::parse(text);
}

void refuse_at(const std::string& file, const std::string& pointer, const std::string& what,
               const std::string& what_to_do) {
  throw StartupError(what, pointer.empty() ? file : file + " at " + pointer, what_to_do);
}

std::string in_quotes(std::string_view text) {
  const bool is_long = text.size() > kShownSize;
  const json literal = std::string(text.substr(0, kShownSize)) + (is_long ? "..." : "");
  return literal.dump(-1, ' ', true, json::error_handler_t::replace);
}

std::string JsonValue::shown() const {
  if (value_->is_string()) return in_quotes(value_->get_ref<const std::string&>());
  if (value_->is_object()) return "an object";
  if (value_->is_array()) return "an array";
  return value_->dump();
}

std::string JsonValue::text() const {
  if (!value_->is_string()) refuse("must be a text, is " + shown(), "give a text in quotes");
  const auto& text = value_->get_ref<const std::string&>();
  const auto allowed =
      "give 1 to " + std::to_string(kMaxJsonTextSize) + " printable ASCII characters";
  if (text.empty()) refuse("must not be empty", allowed);
  if (text.size() > kMaxJsonTextSize) {
    refuse(shown() + " has " + std::to_string(text.size()) + " characters", allowed);
  }
  if (!std::all_of(text.begin(), text.end(), is_printable)) {
    refuse(shown() + " has a character that is not printable ASCII", allowed);
  }
  return text;
}

std::string JsonValue::name(std::string_view punctuation, std::size_t most) const {
  auto name = text();
  const auto allowed = [&](char c) {
    return is_letter_or_digit(c) || punctuation.find(c) != std::string_view::npos;
  };
  if (name.size() > most || !std::all_of(name.begin(), name.end(), allowed)) {
    std::string characters = "letters, digits";
    for (const char c : punctuation) characters += std::string(" ") + c;
    refuse(shown() + " is not a name", "use 1 to " + std::to_string(most) + " of " + characters);
  }
  return name;
}

std::uint64_t JsonValue::number(std::uint64_t least, std::uint64_t most) const {
  const auto allowed = "give a whole number, " + bounds(least, most);
  if (!value_->is_number()) refuse("must be a number, is " + shown(), allowed);
  if (!value_->is_number_integer()) refuse(shown() + " is not a whole number", allowed);
  if (!value_->is_number_unsigned()) refuse(shown() + " is out of bounds", allowed);  // negative
  const auto number = value_->get<std::uint64_t>();
  if (number < least || number > most) refuse(shown() + " is out of bounds", allowed);
  return number;
}

std::vector<JsonValue> JsonValue::items(std::size_t least, std::size_t most) const {
  if (!value_->is_array()) refuse("must be an array, is " + shown(), "give an array [...]");
  if (value_->size() < least || value_->size() > most) {
    refuse("has " + std::to_string(value_->size()) + " entries", "give " + bounds(least, most));
  }
  std::vector<JsonValue> items;
  items.reserve(value_->size());
  for (const auto& item : *value_) {
    items.emplace_back(item, *file_, pointer_ + "/" + std::to_string(items.size()));
  }
  return items;
}

JsonObject::JsonObject(JsonValue value, std::initializer_list<const char*> known_keys)
    : value_(std::move(value)) {
  if (!value_.value_->is_object()) {
    refuse("must be an object, is " + value_.shown(), "give an object {...}");
  }
  for (const auto& [key, member] : value_.value_->items()) {
    if (std::find(known_keys.begin(), known_keys.end(), key) != known_keys.end()) continue;
    std::string known;
    for (const auto* name : known_keys) known += (known.empty() ? "" : ", ") + std::string(name);
    refuse_at(*value_.file_, value_.pointer_ + pointer_step(key), "unknown key " + in_quotes(key),
              "remove it, the keys here are: " + known);
  }
}

JsonValue JsonObject::at(const std::string& key) const {
  if (auto value = find(key)) return *value;
  refuse("the key \"" + key + "\" is missing", "add it, see docs/cluster_document.md");
}

std::optional<JsonValue> JsonObject::find(const std::string& key) const {
  const auto member = value_.value_->find(key);
  if (member == value_.value_->end()) return std::nullopt;
  return JsonValue(*member, *value_.file_, value_.pointer_ + "/" + key);
}

}  // namespace rackway::topo
