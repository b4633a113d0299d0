# SPDX-License-Identifier: Apache-2.0
"""What a run may find: the columns of a row and the words of an axis."""

GOODPUT = "goodput_percent"
# What counts as no loss: queues at the start of a run, and a flow more in one run than in another.
LOSS_FREE_PERCENT = 99.9

METRICS: dict[str, str] = {
    "cable_gbps": "Throughput (Gb/s on the cable)",
    "gbps": "Throughput (Gb/s of frames)",
    "gbps_per_node": "Throughput of a node (Gb/s of frames)",
    "mpps": "Throughput (million packets/s)",
    "goodput_percent": "Goodput (% of what is offered)",
    "lost_percent": "Lost (% of what is offered)",
    "outage_ms": "Lost (ms of all traffic)",
    "straight_percent": "Went straight (% of packets)",
    "reordered_percent": "Reordered (% of packets)",
    "reordering_extent_999": "Reordering extent, 99.9 % (packets)",
    "latency_50_us": "Latency, median (µs)",
    "latency_99_us": "Latency, 99 % (µs)",
    "latency_999_us": "Latency, 99.9 % (µs)",
    "link_mean_percent": "Mean load of the links (%)",
    "link_fullest_percent": "Load of the fullest link (%)",
    "queue_largest_kib": "Longest queue in front of a link (KiB)",
    "core_use_percent": "Busiest core (% of its time)",
    "packets": "Packets that arrived",
    "events": "Events of the simulator",
    "dropped_node_busy": "Dropped: node busy (packets)",
    "dropped_no_path": "Dropped: no path (packets)",
    "dropped_link_down": "Dropped: link down (packets)",
    "dropped_link_full": "Dropped: link full (packets)",
    "dropped_port_full": "Dropped: port full (packets)",
    "dropped_hops_spent": "Dropped: hops spent (packets)",
    "settled": "Nothing moved any more (1: yes)",
    "servers": "Servers",
    "price": "Price of the catalogue (its currency)",
    "watts": "Power (W)",
    "tcp_gbps": "TCP, mean of all pairs (Gb/s)",
    "tcp_gbps_least": "TCP, slowest pair (Gb/s)",
    "silence_ms": "Longest silence of a flow (ms)",
    "bystanders_lost_percent": "Lost by those who need not lose (% of packets)",
}
