# SPDX-License-Identifier: Apache-2.0
"""Compiles headers by themselves, to see that each includes what it uses."""

import concurrent.futures
import subprocess

JOBS = 2
LIBRARIES = ["libzmq", "liburcu-qsbr", "libmnl", "libxxhash", "spdlog"]
DPDK_FOLDERS = ("node/", "tests/node/", "tests/bench/")


def _package_flags(*libraries):
    answer = subprocess.run(["pkg-config", "--cflags", *libraries],
                            check=True, capture_output=True, text=True)
    return answer.stdout.split()


def _fault(root, header, flags):
    compiler = ["g++", "-std=c++20", "-fsyntax-only", "-I", str(root), *flags]
    done = subprocess.run([*compiler, "-x", "c++", "-include", header, "/dev/null"],
                          cwd=root, capture_output=True, text=True)
    if done.returncode == 0:
        return None
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    return f"{header} does not compile alone: {errors[0] if errors else done.stderr[-500:]}"


def header_faults(root, headers):
    """One line per header (a path from the root) that does not compile by itself."""
    flags = _package_flags(*LIBRARIES)
    dpdk_flags = ["-include", "rte_config.h", "-msse4.2", "-mpclmul", *_package_flags("libdpdk")]

    def fault(header):
        needs_dpdk = header.startswith(DPDK_FOLDERS)
        return _fault(root, header, flags + (dpdk_flags if needs_dpdk else []))

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        return [found for found in pool.map(fault, headers) if found]
