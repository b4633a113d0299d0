# SPDX-License-Identifier: Apache-2.0
"""DPDK's l3fwd, built from the source of the distribution's own package.

No package holds the examples, so the source package of the installed DPDK is fetched by apt, which
checks its signature; package lists and caches of that are in a folder of the build only. l3fwd is
built twice: as it is, and with room for full tables, whose sizes are compiled in.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.bench.forward.faults import BenchFault

# What is compiled in, and what it takes for a million routes of IPv4 and 300 thousand of IPv6.
_ROOM = {
    "l3fwd_lpm.c": [
        ("IPV4_L3FWD_LPM_MAX_RULES         1024", "IPV4_L3FWD_LPM_MAX_RULES (1 << 21)"),
        ("IPV4_L3FWD_LPM_NUMBER_TBL8S (1 << 8)", "IPV4_L3FWD_LPM_NUMBER_TBL8S (1 << 15)"),
        ("IPV6_L3FWD_LPM_MAX_RULES         1024", "IPV6_L3FWD_LPM_MAX_RULES (1 << 19)"),
        ("IPV6_L3FWD_LPM_NUMBER_TBL8S (1 << 16)", "IPV6_L3FWD_LPM_NUMBER_TBL8S (1 << 18)"),
    ],
    "l3fwd_fib.c": [
        ("config_ipv4.max_routes = (1 << 16)", "config_ipv4.max_routes = (1 << 21)"),
        ("config.max_routes = (1 << 16) - 1", "config.max_routes = (1 << 19)"),
        ("config.trie.num_tbl8 = (1 << 15)", "config.trie.num_tbl8 = (1 << 19)"),
    ],
}


@dataclass(frozen=True)
class L3fwd:
    plain: Path
    roomy: Path


def build_l3fwd(folder: Path, say) -> L3fwd:
    """In FOLDER, where it stays for the next time."""
    version = _dpdk_version()
    home = folder / version.replace("/", "_")
    built = L3fwd(home / "l3fwd", home / "l3fwd-roomy")
    if built.plain.exists() and built.roomy.exists():
        return built
    shutil.rmtree(folder, ignore_errors=True)
    home.mkdir(parents=True)
    say(f"fetching the source of dpdk {version} and building l3fwd")
    examples = _fetch(version, home)
    _compile(examples, built.plain)
    for name, changes in _ROOM.items():
        _change(examples / "l3fwd" / name, changes)
    _compile(examples, built.roomy)
    shutil.rmtree(home / "source")
    return built


def _dpdk_version() -> str:
    answer = _run(["dpkg-query", "-W", "-f", "${source:Version}", "libdpdk-dev"])
    return answer.strip()


def _fetch(version: str, home: Path) -> Path:
    source = home / "source"
    (source / "lists/partial").mkdir(parents=True)
    (source / "sources.d").mkdir()
    for number, entry in enumerate(_source_entries()):
        (source / f"sources.d/{number}{entry.suffix}").write_text(entry.text)
    apt = ["apt-get", "-qq", "-o", "Dir::Etc::sourcelist=/dev/null",
           "-o", f"Dir::Etc::sourceparts={source}/sources.d",
           "-o", f"Dir::State::Lists={source}/lists", "-o", f"Dir::Cache={source}",
           "-o", "APT::Sandbox::User=root"]
    _run([*apt, "update"])
    _run([*apt, "source", "--download-only", f"dpdk={version}"], cwd=source)
    archives = list(source.glob("dpdk_*.orig.tar.*"))
    if not archives:
        raise BenchFault(f"apt gave no source of dpdk {version}")
    _run(["tar", "xf", str(archives[0]), "--wildcards", "*/examples/l3fwd/*", "*/examples/common/*"],
         cwd=source)
    return next(source.glob("*/examples"))


@dataclass(frozen=True)
class _Entry:
    suffix: str
    text: str


def _source_entries() -> list[_Entry]:
    """The system's package sources, but of source packages."""
    found = []
    files = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    for file in files:
        if file.suffix == ".sources":
            text = "\n".join("Types: deb-src" if line.startswith("Types:") else line
                             for line in file.read_text().splitlines())
            found.append(_Entry(".sources", text + "\n"))
        elif file.suffix == ".list" and file.is_file():
            lines = [line.replace("deb ", "deb-src ", 1) for line in file.read_text().splitlines()
                     if line.startswith("deb ")]
            found.append(_Entry(".list", "\n".join(lines) + "\n"))
    return found


def _compile(examples: Path, program: Path) -> None:
    folder = examples / "l3fwd"
    _run(["make", "-s", "shared"], cwd=folder)
    shutil.copy(folder / "build/l3fwd-shared", program)
    shutil.rmtree(folder / "build")


def _change(file: Path, changes: list[tuple[str, str]]) -> None:
    text = file.read_text()
    for old, new in changes:
        if text.count(old) != 1:
            raise BenchFault(f"{file.name} of this l3fwd is not as expected: no single '{old}'")
        text = text.replace(old, new)
    file.write_text(text)


def _run(command: list[str], cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        tail = (done.stderr or done.stdout).strip().splitlines()[-3:]
        raise BenchFault(f"{' '.join(command[:2])} failed: {' / '.join(tail)}")
    return done.stdout
