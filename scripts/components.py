"""What the program is made of: the parts that are linked into it, their versions, licences and holders of copyright.

scripts/notices, scripts/dependencies and scripts/package read this list.
"""

import dataclasses
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECKOUTS = ROOT / ".build/checkouts"
LOCK = ROOT / "dependencies.lock.json"
# The release of Swift that the project is built with; scripts/notices --check compares it with the toolchain.
SWIFT = "6.3.1"

APACHE = "Apache-2.0"
SWIFT_LICENSE = "Apache-2.0 WITH Swift-exception"


@dataclasses.dataclass(frozen=True)
class Component:
    """A part that is linked into the program. `folders` are those of its sources, below its checkout."""

    name: str
    license: str
    url: str
    package: str = ""
    folders: tuple = ()
    copyrights: tuple = ()
    # A file below deploy/notices, or below the checkout, that has its licence.
    text: str = ""
    comment: str = ""
    fixed_version: str = ""

    @property
    def version(self):
        return self.fixed_version or locked()[self.package]

    def holders(self):
        """Lines of copyright, those of the sources with their years joined."""
        found = {}
        for folder in self.folders:
            for path in sorted((checkout(self.package) / folder).rglob("*")):
                if path.is_file():
                    collect(path.read_text(errors="replace"), found)
        lines = [f"{years(found[holder])} {holder}".strip() for holder in sorted(found)]
        return sorted({*self.copyrights, *lines})


def collect(text, found):
    for match in re.finditer(r"Copyright +(?:\([cC]\)|©)? *((?:\d{4}[ ,–-]*)*)(\S.*)", text):
        holder = re.sub(r"All [Rr]ights [Rr]eserved\.?|\*/|<[^>]*>", "", match[2]).strip(" .*/,#")
        found.setdefault(holder, set()).update(int(year) for year in re.findall(r"\d{4}", match[1]))


def years(numbers):
    if not numbers:
        return ""
    first, last = min(numbers), max(numbers)
    return str(first) if first == last else f"{first}-{last}"


def checkout(package):
    return next(path for path in CHECKOUTS.iterdir() if path.name.lower() == package)


def locked():
    return json.loads(LOCK.read_text())


def swift_package(package, owner, *folders, **more):
    usual = {"name": package, "license": APACHE}
    url = f"https://github.com/{owner}/{package}"
    return Component(url=url, package=package.lower(), folders=folders, **{**usual, **more})


LINKED = [
    Component(
        "Swift runtime and standard library",
        SWIFT_LICENSE,
        "https://github.com/swiftlang/swift",
        copyrights=("2014-2026 Apple Inc. and the Swift project authors",),
        comment="With parts of LLVM (Apache-2.0 WITH LLVM-exception) and tables made of data of Unicode (Unicode-3.0).",
        fixed_version=SWIFT,
    ),
    Component(
        "Foundation and Dispatch for Linux",
        SWIFT_LICENSE,
        "https://github.com/swiftlang/swift-foundation",
        copyrights=("2008-2026 Apple Inc. and the Swift project authors",),
        fixed_version=SWIFT,
    ),
    Component(
        "ICU and data of Unicode, as Foundation has them",
        "Unicode-3.0",
        "https://github.com/swiftlang/swift-foundation-icu",
        copyrights=("2016-2024 Unicode, Inc.",),
        text="icu.txt",
        fixed_version="76",
    ),
    swift_package("GRDB.swift", "groue", "GRDB", license="MIT", text="LICENSE"),
    swift_package("swift-argument-parser", "apple", "Sources/ArgumentParser", license=SWIFT_LICENSE),
    swift_package("swift-async-algorithms", "apple", "Sources/AsyncAlgorithms", license=SWIFT_LICENSE),
    swift_package("swift-collections", "apple", "Sources", license=SWIFT_LICENSE),
    swift_package("swift-crypto", "apple", "Sources/Crypto", "Sources/CryptoBoringWrapper"),
    swift_package(
        "swift-crypto",
        "apple",
        "Sources/CCryptoBoringSSL",
        name="BoringSSL, in swift-crypto",
    ),
    swift_package(
        "swift-crypto",
        "apple",
        "Sources/CXKCP",
        name="XKCP, in swift-crypto",
        license="CC0-1.0 AND Brian-Gladman-3-Clause",
        text="xkcp.txt",
    ),
    swift_package("swift-http-structured-headers", "apple", "Sources"),
    swift_package("swift-http-types", "apple", "Sources/HTTPTypes"),
    swift_package("swift-log", "apple", "Sources"),
    swift_package("swift-service-lifecycle", "swift-server", "Sources"),
]
# Resolved, but not linked into the program: tests use them, or other products of a package do.
NOT_LINKED = {"swift-asn1", "swift-subprocess", "swift-system", "yams"}
