// swift-tools-version:6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]
/// For every target but those that wrap C: no unsafe pointer is touched there.
let safeSettings = swiftSettings + [.strictMemorySafety()]

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let structuredFields = Target.Dependency.product(
    name: "RawStructuredFieldValues",
    package: "swift-http-structured-headers"
)
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

let package = Package(
    name: "cormorant",
    products: [
        .executable(name: "cormorant", targets: ["cormorant"]),
        .library(name: "CormorantClient", targets: ["Client"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        .systemLibrary(name: "CLibcurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CMicroHTTPD",
            pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]
        ),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CDocuments"),
        .target(name: "HTTPFields", dependencies: [structuredFields], swiftSettings: safeSettings),
        .target(name: "URLs", dependencies: ["HTTPFields"], swiftSettings: safeSettings),
        .target(name: "Core", dependencies: ["HTTPFields", "URLs"], swiftSettings: safeSettings),
        .target(name: "TransferRules", dependencies: ["Core", "HTTPFields"], swiftSettings: safeSettings),
        .target(name: "Linux", dependencies: ["CLinux"], swiftSettings: swiftSettings),
        .target(name: "Curl", dependencies: ["CLibcurl", "Linux", "URLs"], swiftSettings: swiftSettings),
        .target(name: "Client", dependencies: ["Curl", "HTTPFields", "URLs"], swiftSettings: safeSettings),
        .target(
            name: "HTTPServer",
            dependencies: ["CMicroHTTPD", "CZlib", httpTypes],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "Store",
            dependencies: ["Core", "HTTPFields", "Linux", grdb, sqlite],
            swiftSettings: safeSettings
        ),
        .target(
            name: "Transfer",
            dependencies: ["Core", "Curl", "HTTPFields", "Linux", "TransferRules", crypto],
            swiftSettings: safeSettings
        ),
        .target(
            name: "Service",
            dependencies: [
                "Core", "Curl", "HTTPFields", "Linux", "Store", "Transfer", "TransferRules",
                crypto,
                logging,
                serviceLifecycle,
            ],
            swiftSettings: safeSettings
        ),
        .target(
            name: "API",
            dependencies: [
                "CDocuments", "Core", "HTTPFields", "HTTPServer", "Service",
                crypto,
                httpTypes,
                logging,
                serviceLifecycle,
            ],
            // CDocuments embeds it.
            exclude: ["Page"],
            swiftSettings: safeSettings
        ),
        .target(
            name: "Application",
            dependencies: [
                "API", "Core", "Curl", "HTTPFields", "HTTPServer", "Linux", "Service", "Store", "Transfer",
                "TransferRules",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                crypto,
                logging,
                serviceLifecycle,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: safeSettings
        ),
        .executableTarget(
            name: "cormorant",
            dependencies: [
                "API", "Application", "CDocuments", "Client", "Core", "Curl", "HTTPFields", "HTTPServer", "Linux",
                "Transfer", "TransferRules",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                crypto,
                httpTypes,
                logging,
            ],
            swiftSettings: safeSettings,
            // No library looks up a symbol of the program, so it exports none: the table of 30,000 names, which the
            // standard library's arguments ask for, would be read at each start.
            // The table of relocations is read whole at each start: packed (DT_RELR, glibc 2.36) it is 60 KiB instead
            // of 2.4 MiB. The old default linker of the toolchain cannot do it. Addresses are looked up at the start,
            // so that their table is read-only from then on (full RELRO; scripts/hardening checks the built program).
            linkerSettings: [
                .unsafeFlags(
                    ["-use-ld=lld", "-Xlinker", "--no-export-dynamic"]
                        + ["pack-relative-relocs", "relro", "now"].flatMap { ["-Xlinker", "-z", "-Xlinker", $0] }
                )
            ]
        ),
        // MARK: Tests: what they share

        .target(
            name: "TestSupport",
            dependencies: [
                "CNGHTTP2", "COpenSSL", "CZlib", "Core", "HTTPFields", "TransferRules",
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/Support/TestSupport",
            swiftSettings: swiftSettings
        ),
        .target(
            name: "TransferSupport",
            dependencies: ["Core", "TestSupport", "Transfer", "TransferRules"],
            path: "Tests/Support/TransferSupport",
            swiftSettings: safeSettings
        ),
        .target(
            name: "StoreSupport",
            dependencies: ["Core", "HTTPFields", "Store", "TestSupport"],
            path: "Tests/Support/StoreSupport",
            swiftSettings: safeSettings
        ),
        .target(
            name: "ServiceSupport",
            dependencies: [
                "API", "Application", "Core", "HTTPFields", "Linux", "Service", "Store", "TestSupport", "Transfer",
                "TransferRules",
                logging,
                yams,
            ],
            path: "Tests/Support/ServiceSupport",
            swiftSettings: safeSettings
        ),

        // MARK: Tests: the service in a simulated world

        .target(name: "CWorld", path: "Tests/Simulation/CWorld", exclude: ["preload.c"]),
        .executableTarget(
            name: "Simulation",
            dependencies: [
                "API", "Application", "CWorld", "Core", "Curl", "Linux", "Service", "Store", "StoreSupport",
                "TestSupport", "Transfer", "TransferRules",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                sqlite,
                logging,
                serviceLifecycle,
            ],
            path: "Tests/Simulation",
            exclude: ["CWorld", "Found"],
            swiftSettings: swiftSettings
        ),

        // MARK: Tests: the readers, with any input

        .target(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        // An executable cannot import another one: the readers of the commands are compiled here too, by links to them.
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "API", "Application", "CFuzzer", "Client", "Core", "Curl", "HTTPFields", "HTTPServer", "Linux",
                "Service",
                "Store", "TestSupport", "Transfer", "TransferRules", "URLs",
                httpTypes,
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/Fuzz",
            exclude: ["CFuzzer", "Corpus"],
            swiftSettings: swiftSettings
        ),

        // MARK: Tests: one target for each of the product's

        .testTarget(
            name: "HTTPFieldsTests",
            dependencies: ["Core", "HTTPFields", "TestSupport", "TransferRules"],
            path: "Tests/Unit/HTTPFields",
            swiftSettings: safeSettings
        ),
        .testTarget(
            name: "CoreTests",
            dependencies: ["Core", "HTTPFields", "TestSupport", "TransferRules", "URLs"],
            path: "Tests/Unit/Core",
            swiftSettings: safeSettings
        ),
        .testTarget(
            name: "TransferRulesTests",
            dependencies: ["Core", "HTTPFields", "TestSupport", "TransferRules"],
            path: "Tests/Unit/TransferRules",
            swiftSettings: safeSettings
        ),
        .testTarget(
            name: "LinuxTests",
            dependencies: ["CLinux", "Linux", "TestSupport"],
            path: "Tests/Unit/Linux",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "ClientTests",
            dependencies: ["API", "Client", "ServiceSupport", "TestSupport"],
            path: "Tests/Unit/Client",
            swiftSettings: safeSettings
        ),
        .testTarget(
            name: "CurlTests",
            dependencies: ["Curl", "Linux", "TestSupport"],
            path: "Tests/Unit/Curl",
            swiftSettings: safeSettings
        ),
        .testTarget(
            name: "HTTPServerTests",
            dependencies: ["HTTPServer", "TestSupport", httpTypes],
            path: "Tests/Unit/HTTPServer",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "StoreTests",
            dependencies: ["Core", "HTTPFields", "Store", "StoreSupport", "TestSupport", "TransferRules", grdb],
            path: "Tests/Unit/Store",
            swiftSettings: safeSettings
        ),
        .testTarget(
            name: "TransferTests",
            dependencies: [
                "Core", "Curl", "HTTPFields", "Linux", "TestSupport", "Transfer", "TransferRules", "TransferSupport",
                crypto,
            ],
            path: "Tests/Unit/Transfer",
            swiftSettings: safeSettings
        ),
        .testTarget(
            name: "ServiceTests",
            dependencies: [
                "Core", "HTTPFields", "Linux", "Service", "Store", "TestSupport", "Transfer", "TransferRules", logging,
            ],
            path: "Tests/Unit/Service",
            swiftSettings: safeSettings
        ),
        .testTarget(
            name: "APITests",
            dependencies: [
                "API", "Core", "HTTPFields", "HTTPServer", "Service", "ServiceSupport", "TestSupport", "TransferRules",
                httpTypes,
                yams,
            ],
            path: "Tests/Unit/API",
            swiftSettings: safeSettings
        ),
        .testTarget(
            name: "ApplicationTests",
            dependencies: [
                "Application", "Core", "HTTPFields", "Linux", "Service", "TestSupport", "Transfer", "TransferRules",
            ],
            path: "Tests/Unit/Application",
            swiftSettings: safeSettings
        ),
        .testTarget(
            name: "CormorantTests",
            dependencies: [
                "API", "Application", "Client", "cormorant", "Core", "HTTPFields", "Linux", "Service", "Store",
                "TestSupport", "Transfer", "TransferRules", "TransferSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                logging,
            ],
            path: "Tests/Unit/Cormorant",
            swiftSettings: safeSettings
        ),

        // MARK: Tests: the service in process, and the built program

        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "API", "Core", "HTTPFields", "HTTPServer", "Linux", "Service", "ServiceSupport", "Store", "TestSupport",
                "Transfer", "TransferRules",
                crypto,
                httpTypes,
            ],
            path: "Tests/Integration",
            swiftSettings: safeSettings
        ),
        .testTarget(
            name: "SystemTests",
            dependencies: [
                "API", "Application", "cormorant", "Core", "Curl", "HTTPFields", "Linux", "ServiceSupport",
                "TestSupport", "Transfer", "TransferRules",
                grdb,
            ],
            path: "Tests/System",
            exclude: [
                "chaos", "clients", "Faults/clock.c", "Faults/faults.c", "Faults/seccomp.c", "Faults/valgrind.c",
                "page",
                "schemathesis",
            ],
            swiftSettings: swiftSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)
