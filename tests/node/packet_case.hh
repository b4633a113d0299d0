// SPDX-License-Identifier: Apache-2.0
// One whole-packet case: a router, the frames sent to it, and how each ends, as a JSON text. Reads
// it and throws CaseFault, which names file and place, at whatever is wrong with it. The format is
// described in docs/testing.md; the cases are tests/node/cases/*.json.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/startup_error.hh"
#include "cluster/drop_reason.hh"
#include "tests/node/case_field.hh"
#include "tests/node/case_frame.hh"
#include "tests/node/case_router.hh"
#include "tests/node/heap_frame.hh"
#include "topo/json_reader.hh"

namespace rackway::node::testing {

// One of the ways in which a frame may end, and how often of all repetitions it is to.
struct CaseWay {
  std::string name;  // of the neighbour or node it goes to
  Outcome outcome;
  std::uint64_t least{}, most{};
};

struct CaseFrame {
  std::string about;
  Entrance in{};
  Bytes bytes;
  Reception how;
  std::vector<CaseWay> ways;
};

class PacketCase {
 public:
  PacketCase(const std::string& text, std::string file)
      : document_(parse(text, file)), root_(document_, std::move(file)) {
    root_.only({"title", "shows", "router", "repeat", "same_way", "frames"});
    title = root_.at("title").text();
    shows = root_.at("shows").text();
    router = RouterReader::read(root_.at("router"));
    same_way = root_.flag_or("same_way", false);
    if (const auto repeat = root_.find("repeat")) {
      repeat->only({"times", "counting"});
      times = repeat->at("times").number(1, 65536);
      check_counting(repeat->at("counting"));
    }
    if (frames(0).empty()) root_.at("frames").refuse("must not be empty");
  }
  PacketCase(const PacketCase&) = delete;
  PacketCase& operator=(const PacketCase&) = delete;

  std::string title, shows;
  CaseRouter router;
  std::uint64_t times = 1;
  bool same_way = false;  // all frames of a repetition go the same way

  // As they are in that repetition.
  [[nodiscard]] std::vector<CaseFrame> frames(std::uint64_t repetition) const {
    std::vector<CaseFrame> all;
    for (const auto& frame : root_.at("frames").items()) all.push_back(read(frame, repetition));
    return all;
  }

 private:
  using json = nlohmann::json;

  static json parse(const std::string& text, const std::string& file) {
    try {
      return topo::parse_json(text, file);
    } catch (const StartupError& fault) {
      throw CaseFault(fault.what());
    }
  }

  [[nodiscard]] CaseFrame read(const Field& field, std::uint64_t repetition) const {
    field.only({"about", "in", "send", "split", "tailroom", "expect"});
    CaseFrame frame;
    if (const auto about = field.find("about")) frame.about = about->text();
    const auto in = field.find("in");
    const std::string place = in ? in->text() : "p0";
    frame.in = static_cast<Entrance>(output_of(place, in ? *in : field));
    json layers = counted_up(field.at("send"), repetition);
    // Over a link come the frames of the node at its other end, where nothing else is said.
    const bool tagged = layers.contains("fabric") && layers["fabric"].is_object();
    if (tagged && !layers["fabric"].contains("ingress")) layers["fabric"]["ingress"] = place;
    const auto send = field.at("send").with(layers);
    frame.bytes = builder_for(frame.in).build(send);
    frame.how.tailroom = field.number_or<std::size_t>("tailroom", 0, 1024);
    if (const auto split = field.find("split"))
      frame.how.split = split->number(0, frame.bytes.size());
    frame.ways = read_expected(field.at("expect"), send, frame.bytes);
    return frame;
  }

  [[nodiscard]] FrameBuilder builder_for(Entrance in) const {
    const auto index = static_cast<std::size_t>(in);
    if (index >= kPorts) return {router, {}};
    return {router, {.destination = router.macs[index], .source = kHostMac, .type = 0}};
  }

  // "udp.source" in the layers of a frame.
  static json::json_pointer place_of(const Field& counting) {
    auto path = "/" + counting.text();
    std::replace(path.begin(), path.end(), '.', '/');
    return json::json_pointer(path);
  }
  void check_counting(const Field& counting) const {
    for (const auto& frame : root_.at("frames").items()) {
      if (frame.at("send").value().contains(place_of(counting))) return;
    }
    counting.refuse("\"" + counting.text() + "\" is in no frame");
  }

  // The field that "repeat" names, as "udp.source", is one more in each repetition.
  [[nodiscard]] json counted_up(const Field& send, std::uint64_t repetition) const {
    json layers = send.value();
    const auto repeat = root_.find("repeat");
    if (!repeat) return layers;
    const auto at = place_of(repeat->at("counting"));
    if (!layers.contains(at)) return layers;
    auto& value = layers[at];
    if (value.is_number_unsigned()) {
      value = value.get<std::uint64_t>() + repetition;
    } else {
      value = later(send.with(value).address(), static_cast<std::uint32_t>(repetition)).to_string();
    }
    return layers;
  }

  [[nodiscard]] std::vector<CaseWay> read_expected(const Field& expect, const Field& send,
                                                   const Bytes& bytes) const {
    expect.only({"sent", "punted", "dropped"});
    if (expect.members().size() != 1) expect.refuse("must have one of sent, punted, dropped");
    if (const auto punt_class = expect.find("punted")) {
      const auto found = named<PuntClass>(*punt_class, cluster::kPuntClasses);
      return {{"punted", punted(found, bytes), 0, times}};
    }
    if (const auto reason = expect.find("dropped")) {
      const auto found = named<DropReason>(*reason, cluster::kDropReasons);
      return {{"dropped", dropped(found), 0, times}};
    }
    return read_sent(expect.at("sent"), send);
  }

  template <class Enum>
  static Enum named(const Field& name, std::size_t count) {
    std::string known;
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = static_cast<Enum>(i);
      if (cluster::to_string(value) == name.text()) return value;
      known += (known.empty() ? "" : ", ") + std::string(cluster::to_string(value));
    }
    name.refuse("\"" + name.text() + "\" is none of: " + known);
  }

  [[nodiscard]] std::vector<CaseWay> read_sent(const Field& sent, const Field& send) const {
    if (const auto by = sent.find("by")) {
      sent.only({"by", "frame"});
      const auto output = output_of(by->text(), *by);
      const auto bytes = FrameBuilder(router, {}).build(sent.at("frame"));
      return {{by->text(), testing::sent(output, bytes), 0, times}};
    }
    if (send.find("raw")) sent.refuse("of a raw frame, say it by \"by\" and \"frame\"");
    std::vector<CaseWay> ways;
    std::optional<Bytes> to_neighbor;  // frames to neighbours of ours differ in the MACs only
    for (const auto& to : shares(sent, "to")) {
      const auto known = router.neighbors.find(to.name);
      const bool own = known != router.neighbors.end() && known->second.key.node == kSelf;
      if (own && to_neighbor && !sent.find("ether") && !sent.find("over")) {
        ways.push_back(way_of(to, known->second, *to_neighbor));
        continue;
      }
      for (const auto& over : shares(sent, "over")) ways.push_back(way(sent, send, to, over));
      if (own) to_neighbor = ways.back().outcome.bytes;
    }
    return ways;
  }

  // A name, or names with how often each is to be taken: "b" or {"b": [40, 60], "c": [40, 60]}.
  struct Share {
    std::string name;
    std::uint64_t least{}, most{};
  };
  [[nodiscard]] std::vector<Share> shares(const Field& sent, const char* key) const {
    const auto field = sent.find(key);
    if (!field) return {{"", 0, times}};
    if (field->is_text()) return {{field->text(), 0, times}};
    std::vector<Share> all;
    for (const auto& [names, bounds] : field->members()) {
      const auto pair = bounds.items();
      if (pair.size() != 2) bounds.refuse("must be [least, most]");
      for (const auto& name : expand_names(names, bounds)) {
        all.push_back({name, pair[0].number(0, times), pair[1].number(0, times)});
      }
    }
    return all;
  }

  // The sent frame with the MACs or the tag that this way gives it, then with what `sent` says.
  [[nodiscard]] CaseWay way(const Field& sent, const Field& send, const Share& to,
                            const Share& over) const {
    if (to.name.empty() && over.name.empty()) sent.refuse("must say \"to\", \"over\" or \"by\"");
    json layers = send.value();
    std::size_t output{};
    if (!to.name.empty()) {
      const auto& neighbor = router.neighbor(to.name, sent.at("to"));
      const bool own = neighbor.key.node == kSelf;
      if (own) check_port(neighbor, sent.at("to"));
      layers.merge_patch(own ? macs_of(neighbor) : tag_of(neighbor, over.name));
      output = own                 ? neighbor.port.value
               : over.name.empty() ? output_of(node_name(neighbor.key.node), sent.at("to"))
                                   : output;
    }
    if (!over.name.empty()) output = output_of(over.name, sent.at("over"));
    json changes = sent.value();
    changes.erase("to");
    changes.erase("over");
    layers.merge_patch(changes);
    const auto bytes = FrameBuilder(router, {}).build(sent.with(layers));
    return {to.name + (to.name.empty() || over.name.empty() ? "" : " over ") + over.name,
            testing::sent(output, bytes), std::max(to.least, over.least),
            std::min(to.most, over.most)};
  }

  // The way of one of many neighbours, made of the frame to another of them.
  [[nodiscard]] CaseWay way_of(const Share& to, const fib::Adjacency& neighbor, Bytes bytes) const {
    const auto& source = router.macs.at(neighbor.port.value);
    std::copy(neighbor.destination.bytes.begin(), neighbor.destination.bytes.end(), bytes.begin());
    std::copy(source.bytes.begin(), source.bytes.end(), bytes.begin() + 6);
    return {to.name, testing::sent(neighbor.port.value, std::move(bytes)), to.least, to.most};
  }

  static void check_port(const fib::Adjacency& neighbor, const Field& at) {
    if (neighbor.port.value >= kPorts) at.refuse("the neighbour's port is not there");
  }

  static std::string node_name(NodeId node) { return "n" + std::to_string(node.value); }

  [[nodiscard]] json macs_of(const fib::Adjacency& neighbor) const {
    const auto& source = router.macs.at(neighbor.port.value);
    return {{"fabric", nullptr},
            {"ether",
             {{"destination", neighbor.destination.to_string()}, {"source", source.to_string()}}}};
  }
  [[nodiscard]] static json tag_of(const fib::Adjacency& neighbor, const std::string& over) {
    const auto egress = node_name(neighbor.key.node);
    return {{"ether", nullptr},
            {"fabric",
             {{"target", over.empty() ? egress : over},
              {"egress", egress},
              {"ingress", node_name(kSelf)},
              {"adjacency", neighbor.key.index.value}}}};
  }

  json document_;
  Field root_;
};

}  // namespace rackway::node::testing
