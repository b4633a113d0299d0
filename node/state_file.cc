// SPDX-License-Identifier: Apache-2.0
#include "node/state_file.hh"

#include <string_view>
#include <utility>

#include "base/byte_order.hh"
#include "base/wire.hh"
#include "fib/file_checksum.hh"
#include "fib/regular_file.hh"
#include "fib/snapshot_file.hh"

namespace rackway::node {
namespace {

constexpr std::string_view kMagic = "RKWYNODE";
constexpr std::size_t kVersionEnd = kMagic.size() + sizeof kStateVersion;
constexpr std::size_t kSizeEnd = kVersionEnd + sizeof(std::uint32_t);

void write(WireWriter& out, const cluster::Message& message) {
  const std::string bytes = cluster::encode(message);
  out.count(bytes.size());
  out.bytes(bytes);
}

template <class Kind>
Kind read_message(WireReader& in) {
  const auto message = cluster::decode(in.bytes(in.count(1)));
  if (message && std::holds_alternative<Kind>(*message)) return std::get<Kind>(*message);
  in.fail();
  return {};
}

// ---- reading: refusals in the order of docs/state_file.md

Result<std::string> read_whole(const std::filesystem::path& path) {
  const auto file = fib::RegularFile::open(path);
  if (!file) return tl::unexpected(file.error());
  const auto size = file->size();
  if (!size) return tl::unexpected(size.error());
  return file->read_start(*size);
}

Result<void> check_kind(WireReader& in) {
  if (in.bytes(kMagic.size()) != kMagic) return fail("is not the state of a node");
  const auto version = in.number<std::uint16_t>();
  if (in.ok() && version != kStateVersion) {
    return fail("is a state of version " + std::to_string(version) + ", not " +
                std::to_string(kStateVersion));
  }
  return {};
}

Result<std::string_view> sound_head(std::string_view bytes) {
  WireReader in(bytes);
  if (auto checked = check_kind(in); !checked) return tl::unexpected(checked.error());
  const std::size_t size = in.number<std::uint32_t>();
  if (!in.ok() || bytes.size() < size || size < kSizeEnd + fib::kChecksumSize) {
    return fail("is truncated: it has " + std::to_string(bytes.size()) + " octets");
  }
  const auto head = bytes.substr(0, size - fib::kChecksumSize);
  if (fib::checksum_of(head) != bytes.substr(head.size(), fib::kChecksumSize)) {
    return fail("is damaged: its checksum is wrong");
  }
  return head;
}

Result<State> decode_head(std::string_view head, const std::string& node) {
  WireReader in(head.substr(kSizeEnd));
  const auto name = in.text();
  const auto wire = in.number<std::uint16_t>();
  if (in.ok() && name != node) return fail("is of node " + name + ", not " + node);
  if (in.ok() && wire != cluster::kWireVersion) {
    return fail("has messages of version " + std::to_string(wire) + ", not " +
                std::to_string(cluster::kWireVersion));
  }
  State state{.boot_id = in.number<std::uint64_t>(), .epoch = {in.number<std::uint64_t>()}};
  state.orders.welcome = read_message<cluster::Welcome>(in);
  state.orders.settings = read_message<cluster::VlbSettings>(in);
  state.orders.links_down = read_message<cluster::LinksDown>(in);
  if (!in.ok() || !in.at_end()) return fail("has malformed messages");
  return state;
}

Result<State> decode(std::string_view bytes, const std::string& node) {
  const auto head = sound_head(bytes);
  if (!head) return tl::unexpected(head.error());
  auto state = decode_head(*head, node);
  if (!state) return state;
  bytes.remove_prefix(head->size() + fib::kChecksumSize);
  auto content = fib::decode_snapshot(bytes);
  if (!content) return tl::unexpected(content.error().within("its FIB"));
  state->content = std::move(*content);
  return state;
}

}  // namespace

std::string encode_state_head(const std::string& node, std::uint64_t boot_id, Epoch epoch,
                              const Orders& orders) {
  WireWriter out;
  out.bytes(kMagic);
  out.number(kStateVersion);
  out.number(std::uint32_t{0});  // the size is known at the end
  out.text(node);
  out.number(cluster::kWireVersion);
  out.number(boot_id);
  out.number(epoch.value);
  write(out, orders.welcome);
  write(out, orders.settings);
  write(out, orders.links_down);
  std::string bytes = out.take();
  const auto size = bytes.size() + fib::kChecksumSize;
  store_be(bytes.data() + kVersionEnd, static_cast<std::uint32_t>(size));
  return bytes += fib::checksum_of(bytes);
}

Result<State> read_state(const std::filesystem::path& path, const std::string& node) {
  return read_whole(path)
      .and_then([&](const std::string& bytes) { return decode(bytes, node); })
      .map_error([&](const Error& e) { return e.within(path.string()); });
}

}  // namespace rackway::node
