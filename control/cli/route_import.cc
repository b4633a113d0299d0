// SPDX-License-Identifier: Apache-2.0
#include "control/cli/route_import.hh"

#include <fmt/format.h>

#include <exception>
#include <future>
#include <optional>
#include <utility>

#include "control/cli/api_messages.hh"
#include "control/cli/table_source.hh"
#include "control/cli/text_table.hh"

namespace rackway::cli {
namespace {

// A request may have 1 MiB, and a newline takes two octets of JSON.
constexpr std::size_t kPartOctets = 700'000;

// Gives parts to the controller, one at a time, and hears of each before the next.
class Parts {
 public:
  Parts(const AskController& ask, bool keep) : ask_(ask), keep_(keep) {}

  // False when the controller has refused a part: see fault().
  bool add(const IpPrefix& prefix, const std::string& target) {
    text_ += prefix.to_string();
    text_ += ',';
    text_ += target;
    text_ += '\n';
    return text_.size() < kPartOctets || send(false);
  }
  bool finish() { return send(true) && hear(); }

  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }
  // Prefixes that the controller has an imported route of, when it is finished.
  [[nodiscard]] std::uint64_t imported() const { return imported_; }

 private:
  bool send(bool last) {
    if (!hear()) return false;
    auto request = import_request(next_++, std::exchange(text_, {}), last, keep_);
    text_.reserve(kPartOctets + 1024);
    pending_ = std::async(std::launch::async, [this, request = std::move(request)] {
      try {
        return ask_(request);
      } catch (const std::exception& fault) {
        return Result<std::string>(fail(fault.what()));
      }
    });
    return true;
  }
  bool hear() {
    if (!pending_.valid()) return true;
    const auto reply = pending_.get();
    const auto imported = reply.and_then(imported_of_reply);
    if (imported) {
      imported_ = *imported;
    } else {
      fault_ = imported.error();
    }
    return imported.has_value();
  }

  const AskController& ask_;
  bool keep_;
  std::string text_;
  std::uint64_t next_ = 0, imported_ = 0;
  std::future<Result<std::string>> pending_;
  std::optional<Error> fault_;
};

class Progress {
 public:
  explicit Progress(std::ostream* terminal) : terminal_(terminal) {}
  void routes(std::uint64_t count, unsigned percent) {
    if (terminal_ == nullptr || count % 20'000 != 0) return;
    *terminal_ << fmt::format("\r{} routes, {} % of the file", count, percent) << std::flush;
    wrote_ = true;
  }
  ~Progress() {
    if (wrote_) *terminal_ << "\r\x1b[K" << std::flush;
  }

 private:
  std::ostream* terminal_;
  bool wrote_ = false;
};

void say_what_was_skipped(const ImportArguments& arguments, const TableReading& reading,
                          std::ostream& err) {
  for (const auto& [number, why] : reading.bad_lines) {
    err << printable(arguments.file) << ":" << number << ": " << printable(why) << "\n";
  }
  for (std::size_t i = 0; i < table_file::kSkips; ++i) {
    const auto reason = static_cast<table_file::Skip>(i);
    const auto times = reading.skipped.of(reason);
    if (times > 0) err << "skipped " << times << ": " << table_file::to_string(reason) << "\n";
  }
}

int refuse(const std::string& why, std::ostream& err) {
  err << printable(why) << "\n";
  return kExitFault;
}

}  // namespace

int import_routes(const ImportArguments& arguments, const AskController& ask,
                  const ImportOutput& output) {
  Parts parts(ask, arguments.keep);
  std::uint64_t count = 0;
  Result<TableReading> reading = fail("not read");
  {
    Progress progress(output.progress);
    reading = read_table(arguments, [&](const auto& prefix, const auto& target, unsigned percent) {
      progress.routes(++count, percent);
      return parts.add(prefix, target);
    });
  }
  if (!reading) return refuse(reading.error().message, output.err);
  if (!output.json) say_what_was_skipped(arguments, *reading, output.err);
  if (reading->routes == 0) {
    return refuse("there is no route in " + arguments.file + "; nothing was imported", output.err);
  }
  if (parts.fault() || !parts.finish()) return refuse(parts.fault()->message, output.err);
  if (output.json) {
    output.out << import_summary(arguments.file, *reading, parts.imported());
  } else {
    output.out << "read " << reading->routes << " routes of " << printable(arguments.file) << ", "
               << parts.imported() << " prefixes are imported\n";
  }
  output.out << std::flush;
  return output.out ? 0 : kExitFault;
}

}  // namespace rackway::cli
