// SPDX-License-Identifier: Apache-2.0
// The drawing for a design review: the fabric on the left, on the right what one server looks like
// from behind, what the cluster is made of, and what it guarantees. A mesh is a ring with its
// chords; a butterfly has a column for each stage and the first once more at the end. The links of
// one server are drawn strong, in a large butterfly with those that its packets can take next, and
// the others faint, or not at all where they would be a grey area.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "topo/plan/plan_files.hh"
#include "topo/plan/svg_canvas.hh"

namespace rackway::plan {
namespace {

constexpr double kWidth = 1480, kHeight = 1000;
constexpr double kPanel = 1010;  // where the right side begins
constexpr double kPanelWidth = 430;
constexpr std::size_t kLabelled = 64;   // servers of a mesh that have their names beside them
constexpr unsigned kSlotsDrawn = 8;     // of a server one by one
constexpr std::size_t kDrawnRows = 36;  // of a butterfly of which all links are drawn

constexpr const char* kStyle =
    "svg{background:#fff}text{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:14px;"
    "fill:#1f2933}.page{fill:#fff}.title{font-size:26px;font-weight:bold}"
    ".subtitle{font-size:16px;fill:#52606d}"
    ".head{font-size:15px;font-weight:bold}.small{font-size:12px;fill:#52606d}"
    ".value{text-anchor:end}.middle{text-anchor:middle}.end{text-anchor:end}"
    ".link{stroke:#9fb3c8;stroke-width:1;stroke-opacity:.55;fill:none}"
    ".thin{stroke:#9fb3c8;stroke-width:.5;stroke-opacity:.35;fill:none}"
    ".own{stroke:#0b69a3;stroke-width:2;fill:none}"
    ".next{stroke:#0b69a3;stroke-width:.6;stroke-opacity:.45;fill:none}"
    ".out{stroke:#dd6b20;stroke-width:3}.stub{stroke:#dd6b20;stroke-width:2}"
    ".edge{fill:#e6f1fa;stroke:#0b69a3;stroke-width:1.5}"
    ".relay{fill:#f0f1f3;stroke:#7b8794;stroke-width:1.2}"
    ".again{fill:#fff;stroke:#0b69a3;stroke-width:1.2;stroke-dasharray:4 3}"
    ".chosen{fill:#0b69a3;stroke:#0b69a3}.inside{fill:#fff;font-weight:bold}"
    ".frame{fill:#fafbfc;stroke:#cbd2d9}.rule{stroke:#cbd2d9}"
    ".card{fill:#fff;stroke:#7b8794}.external{fill:#dd6b20}.fabric{fill:#0b69a3}"
    ".free{fill:#fff;stroke:#9aa5b1}.band{fill:#e6f1fa;stroke:#0b69a3}"
    ".relayband{fill:#f0f1f3;stroke:#7b8794}.againband{fill:#fff;stroke:#0b69a3;"
    "stroke-dasharray:4 3}";

std::string decimals(double value, int digits) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

// 1234567 as "1,234,567".
std::string grouped(std::uint64_t value) {
  const auto digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string several(std::uint64_t count, const std::string& what) {
  return grouped(count) + " " + what + (count == 1 ? "" : "s");
}

class Drawing {
 public:
  Drawing(const Wiring& wiring, const Report& report)
      : wiring_(wiring),
        plan_(*report.plan),
        report_(report),
        canvas_(kWidth, kHeight, "Rackway: " + shape_text(plan_), kStyle) {}

  std::string draw() && {
    canvas_.box("page", 0, 0, kWidth, kHeight);
    draw_title();
    if (plan_.radices.size() == 1) {
      draw_mesh();
    } else {
      draw_butterfly();
    }
    draw_legend();
    double y = 96;
    y = draw_server("A server with external ports", wiring_.servers[0], y);
    if (plan_.radices.size() > 1)
      y = draw_server("A relay of stage 1", wiring_.servers[plan_.edge_servers()], y + 14);
    y = draw_bill(y + 46);
    draw_guarantee(y + 30);
    return std::move(canvas_).finish();
  }

 private:
  void draw_title() {
    const auto rate = rate_text(report_.wish.rate);
    canvas_.text("title", 40, 52,
                 std::to_string(plan_.external_ports()) + " x " + rate + ": " + shape_text(plan_));
    canvas_.text("subtitle", 40, 78,
                 several(plan_.bill.servers, "server") + " " + plan_.server.title +
                     (plan_.links == 0 ? ""
                                       : ", " + several(plan_.links, "link") + " of " +
                                             rate_text(plan_.edge.link_rate())));
  }

  // --- a full mesh
  // --------------------------------------------------------------------------------

  struct Point {
    double x, y;
  };

  [[nodiscard]] Point on_ring(std::size_t i, double radius) const {
    const double n = static_cast<double>(wiring_.servers.size());
    const double turn = 2 * std::numbers::pi * static_cast<double>(i) / n - std::numbers::pi / 2;
    return {490 + radius * std::cos(turn), 520 + radius * std::sin(turn)};
  }

  void draw_mesh() {
    const auto n = wiring_.servers.size();
    if (n == 1) {
      draw_boxed(0, {490, 520}, {490, 440});
      return;
    }
    const double radius = 335;
    for (const bool own : {false, true}) {
      for (const auto& cable : wiring_.cables) {
        if ((cable.a == 0) != own) continue;
        const auto a = on_ring(cable.a, radius), b = on_ring(cable.b, radius);
        canvas_.line(own ? "own" : n > 24 ? "thin" : "link", a.x, a.y, b.x, b.y);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (n <= 20) {
        draw_boxed(i, on_ring(i, radius), on_ring(i, radius + 76));
      } else {
        draw_dot(i, n, radius);
      }
    }
  }

  // A box with the server's name, and a stub for each external port on the far side.
  void draw_boxed(std::size_t i, Point at, Point outwards) {
    const auto ports = wiring_.servers[i].external.size();
    const double dx = (outwards.x - at.x), dy = (outwards.y - at.y);
    const double length = std::hypot(dx, dy);
    const double spread = std::min(9.0, 60.0 / static_cast<double>(ports));
    for (std::size_t p = 0; p < ports; ++p) {
      const double aside = (static_cast<double>(p) - (static_cast<double>(ports) - 1) / 2) * spread;
      const double x = at.x - dy / length * aside, y = at.y + dx / length * aside;
      canvas_.line("out", x, y, x + dx, y + dy);
    }
    const bool is_first = i == 0;
    canvas_.box(is_first ? "chosen" : "edge", at.x - 40, at.y - 22, 80, 44, 6);
    canvas_.text(is_first ? "middle inside" : "middle", at.x, at.y - 2, wiring_.servers[i].name);
    canvas_.text(is_first ? "middle inside small" : "middle small", at.x, at.y + 14,
                 std::to_string(ports) + " x " + rate_text(report_.wish.rate));
  }

  void draw_dot(std::size_t i, std::size_t n, double radius) {
    const auto at = on_ring(i, radius), out = on_ring(i, radius + 26),
               label = on_ring(i, radius + 46);
    const auto ports = wiring_.servers[i].external.size();
    const double dx = (out.x - at.x) / 26, dy = (out.y - at.y) / 26;
    const double spread = std::min(4.0, 14.0 / static_cast<double>(ports));
    for (std::size_t p = 0; p < ports; ++p) {
      const double aside = (static_cast<double>(p) - (static_cast<double>(ports) - 1) / 2) * spread;
      canvas_.line("stub", at.x - dy * aside, at.y + dx * aside, out.x - dy * aside,
                   out.y + dx * aside);
    }
    canvas_.circle(i == 0 ? "chosen" : "edge", at.x, at.y, n > 60 ? 5 : 9);
    if (n > kLabelled && i % (n / 16) != 0) return;
    canvas_.text("middle small", label.x, label.y + 4, wiring_.servers[i].name);
  }

  // --- a butterfly
  // --------------------------------------------------------------------------------

  [[nodiscard]] double column(std::size_t stage) const {
    return 110 + 780 * static_cast<double>(stage) / static_cast<double>(plan_.radices.size());
  }
  // The first digit counts most, so that the first links spread over the whole height.
  [[nodiscard]] double row(std::size_t position) const {
    std::size_t place = 0;
    for (const auto radix : plan_.radices) {
      place = place * radix + position % radix;
      position /= radix;
    }
    const double rows = static_cast<double>(plan_.edge_servers());
    return 170 + 700 * (static_cast<double>(place) + 0.5) / rows;
  }

  // The positions of the next stage that a position is joined to.
  [[nodiscard]] std::vector<std::size_t> next_positions(std::size_t stage, std::size_t x) const {
    std::size_t step = 1;
    for (std::size_t i = 0; i < stage; ++i) step *= plan_.radices[i];
    const auto base = x - x / step % plan_.radices[stage] * step;
    std::vector<std::size_t> next;
    for (std::size_t digit = 0; digit < plan_.radices[stage]; ++digit) {
      next.push_back(base + digit * step);
    }
    return next;
  }

  void draw_links(std::size_t stage, std::size_t x, const char* css) {
    for (const auto next : next_positions(stage, x)) {
      canvas_.curve(css, column(stage), row(x), column(stage + 1), row(next));
    }
  }

  void draw_butterfly() {
    const auto stages = plan_.radices.size();
    const auto rows = plan_.edge_servers();
    if (rows <= kDrawnRows) {
      for (std::size_t stage = 0; stage < stages; ++stage) {
        for (std::size_t x = 0; x < rows; ++x) draw_links(stage, x, "link");
      }
    }
    std::vector<std::size_t> reached{0};
    for (std::size_t stage = 0; stage < stages; ++stage) {
      std::vector<std::size_t> next;
      for (const auto x : reached) {
        draw_links(stage, x, stage == 0 ? "own" : rows <= kDrawnRows ? "own" : "next");
        const auto here = next_positions(stage, x);
        next.insert(next.end(), here.begin(), here.end());
      }
      reached = std::move(next);
    }
    for (std::size_t stage = 0; stage <= stages; ++stage) draw_stage(stage);
  }

  void draw_stage(std::size_t stage) {
    const auto stages = plan_.radices.size(), rows = plan_.edge_servers();
    const double x = column(stage);
    const bool is_edge = stage % stages == 0;
    canvas_.text("middle head", x, 126,
                 stage == stages ? "stage 0 again" : "stage " + std::to_string(stage));
    canvas_.text("middle small", x, 146,
                 stage == stages ? "the same servers"
                 : is_edge       ? several(rows, "edge server")
                                 : several(rows, "relay"));
    if (rows > kDrawnRows) {
      if (is_edge) draw_ports_of_all(x, stage == stages ? 1 : -1);
      canvas_.box(stage == stages ? "againband"
                  : is_edge       ? "band"
                                  : "relayband",
                  x - 9, 168, 18, 704, 4);
    }
    for (std::size_t position = 0; position < rows; ++position) {
      draw_position(stage, position, x, is_edge);
    }
    if (rows > kDrawnRows) {
      const auto first = wiring_.servers[stage % stages * rows].name;
      const auto last = wiring_.servers[stage % stages * rows + rows - 1].name;
      canvas_.text("middle small", x, 892, first + " to " + last);
    }
  }

  // A comb in the place of more stubs than can be told apart.
  void draw_ports_of_all(double x, double side) {
    constexpr int kTeeth = 36;
    for (int i = 0; i < kTeeth; ++i) {
      const double y = 170 + 700 * (i + 0.5) / kTeeth;
      canvas_.line("stub", x, y, x + side * 34, y);
    }
  }

  void draw_position(std::size_t stage, std::size_t position, double x, bool is_edge) {
    const auto stages = plan_.radices.size(), rows = plan_.edge_servers();
    const bool is_first = position == 0 && stage == 0;
    const double y = row(position), side = stage == stages ? 1 : -1;
    if (rows > kDrawnRows) {
      if (is_first) canvas_.circle("chosen", x, y, 6);
      return;
    }
    if (is_edge) canvas_.line("out", x, y, x + side * 58, y);
    const double height = std::min(30.0, 700.0 / static_cast<double>(rows) - 4);
    const char* css = is_first ? "chosen" : stage == stages ? "again" : is_edge ? "edge" : "relay";
    canvas_.box(css, x - 28, y - height / 2, 56, height, 4);
    canvas_.text(is_first ? "middle small inside" : "middle small", x, y + 4,
                 wiring_.servers[stage % stages * rows + position].name);
  }

  // --- what it says beside it
  // -----------------------------------------------------------------------

  void draw_legend() {
    const double y = 950;
    canvas_.line("out", 40, y - 4, 70, y - 4);
    const auto rate = rate_text(report_.wish.rate);
    canvas_.text("small", 78, y,
                 plan_.radices.size() == 1
                     ? "external port, " + rate
                     : "external ports, " + std::to_string(plan_.ports_per_server) + " x " + rate +
                           " a server");
    if (plan_.links == 0) return;
    canvas_.line("own", 310, y - 4, 340, y - 4);
    const bool is_large = plan_.radices.size() > 1 && plan_.edge_servers() > kDrawnRows;
    canvas_.text(
        "small", 348, y,
        plan_.radices.size() == 1 ? "the links of n1" : "the links of n1 and where they lead on");
    if (is_large) {
      canvas_.text("small", 640, y, "links of the other servers: not drawn");
    } else {
      canvas_.line("link", 640, y - 4, 670, y - 4);
      canvas_.text("small", 678, y, "other links, " + rate_text(plan_.edge.link_rate()));
    }
  }

  struct SlotRow {
    unsigned first, last;  // slots
  };

  // Of a server with many slots those that are alike, one after the other, share a row.
  [[nodiscard]] std::vector<SlotRow> slot_rows(const WiredServer& server) const {
    const auto alike = [&](unsigned a, unsigned b) {
      const auto cards = server.cards.size();
      if (a >= cards || b >= cards) return a >= cards && b >= cards;
      const auto &one = server.cards[a], &other = server.cards[b];
      return one.nic == other.nic && one.external == other.external && one.fabric == other.fabric;
    };
    std::vector<SlotRow> rows;
    for (unsigned slot = 0; slot < plan_.server.nic_slots; ++slot) {
      const bool joins = plan_.server.nic_slots > kSlotsDrawn && slot > 0 && alike(slot - 1, slot);
      if (joins) {
        rows.back().last = slot;
      } else {
        rows.push_back({slot, slot});
      }
    }
    return rows;
  }

  double draw_server(const std::string& title, const WiredServer& server, double y) {
    const auto rows = slot_rows(server);
    const double height = 34.0 * static_cast<double>(rows.size()) + 44;
    canvas_.box("frame", kPanel, y, kPanelWidth, height, 6);
    canvas_.text("head", kPanel + 14, y + 24, title);
    canvas_.text("small end", kPanel + kPanelWidth - 14, y + 24, plan_.server.name + ", NIC slots");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      draw_slots(server, rows[i], y + 38 + 34.0 * static_cast<double>(i));
    }
    return y + height;
  }

  void draw_slots(const WiredServer& server, const SlotRow& row, double y) {
    const double left = kPanel + (plan_.server.nic_slots > kSlotsDrawn ? 58 : 34);
    const double width = kPanel + kPanelWidth - 14 - left;
    const auto number = [](unsigned slot) { return std::to_string(slot + 1); };
    canvas_.text("small", kPanel + 14, y + 19,
                 number(row.first) + (row.first == row.last ? "" : "-" + number(row.last)));
    if (row.first >= server.cards.size()) {
      canvas_.box("free", left, y, width, 28, 3);
      canvas_.text("small", left + 10, y + 19, "free");
      return;
    }
    const auto& card = server.cards[row.first];
    canvas_.box("card", left, y, width, 28, 3);
    draw_card(card, left, y);
  }

  void draw_card(const WiredCard& card, double left, double y) {
    for (unsigned port = 0; port < card.mode.ports; ++port) {
      const bool is_external = port < card.external;
      const bool is_fabric = !is_external && port < card.external + card.fabric;
      const double width = std::min(20.0, 150.0 / card.mode.ports - 3);
      canvas_.box(is_external ? "external"
                  : is_fabric ? "fabric"
                              : "free",
                  left + 8 + port * (width + 3), y + 8, width, 12, 1);
    }
    canvas_.text("small end", kPanel + kPanelWidth - 22, y + 19,
                 card.nic->name + ": " + std::to_string(card.mode.ports) + " x " +
                     rate_text(card.mode.mbps));
  }

  double draw_row(double y, const std::string& name, const std::string& value) {
    canvas_.text("small", kPanel + 14, y, name);
    canvas_.text("end", kPanel + kPanelWidth - 14, y, value);
    return y + 24;
  }

  double draw_bill(double y) {
    const auto& bill = plan_.bill;
    canvas_.text("head", kPanel, y - 8, "The cluster");
    canvas_.line("rule", kPanel, y, kPanel + kPanelWidth, y);
    y += 24;
    y = draw_row(
        y, "servers",
        grouped(bill.servers) + (plan_.radices.size() == 1
                                     ? ""
                                     : " (" + grouped(plan_.edge_servers()) + " with ports)"));
    y = draw_row(
        y, "external ports",
        grouped(plan_.external_ports()) + ", " + grouped(report_.wish.ports) + " asked for");
    y = draw_row(y, "cables of the fabric", grouped(bill.cables));
    std::string cores = std::to_string(plan_.edge_cores);
    if (plan_.relay_cores > 0) cores += ", of a relay " + std::to_string(plan_.relay_cores);
    y = draw_row(y, "forwarding cores of a server", cores);
    y = draw_row(y, "price, estimated", "$ " + grouped(bill.price));
    y = draw_row(y, "power, estimated",
                 decimals(static_cast<double>(bill.watts) / 1000, 1) + " kW");
    return draw_row(y, "rack units", grouped(bill.rack_units));
  }

  static std::string fraction_text(const Guarantee& found) {
    if (!std::isfinite(found.fraction)) return "all, no links to cross";
    return decimals(std::min(1.0, found.fraction) * 100, 0) + "%, links at most " +
           decimals(100 / found.fraction, 0) + "% full";
  }

  void draw_guarantee(double y) {
    canvas_.text("head", kPanel, y - 8, "What it guarantees, whatever the traffic matrix");
    canvas_.line("rule", kPanel, y, kPanel + kPanelWidth, y);
    y = draw_row(y + 24, "all works", fraction_text(report_.intact));
    const auto& survive = report_.wish.survive;
    if (survive.together == 0) return;
    const bool is_one = survive.together == 1;
    const std::string kinds = survive.links == 0   ? "server"
                              : survive.nodes == 0 ? "link"
                              : is_one             ? "server or link"
                                                   : "servers or link";
    const auto what = "any " + (is_one ? "one" : std::to_string(survive.together)) + " " + kinds +
                      (is_one ? "" : "s") + " dead";
    draw_row(y, what, fraction_text(report_.surviving));
  }

  const Wiring& wiring_;
  const Plan& plan_;
  const Report& report_;
  SvgCanvas canvas_;
};

}  // namespace

std::string drawing_svg(const Wiring& wiring, const Report& report) {
  return Drawing(wiring, report).draw();
}

}  // namespace rackway::plan
