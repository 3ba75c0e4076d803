import Testing

@testable import Curl

/// The lines of a `known_hosts` file (sshd(8)).
@Suite struct KnownHostsTests {
    private static let ed25519 = "ssh-ed25519 ZWQyNTUxOQ=="
    private static let ecdsa = "ecdsa-sha2-nistp256 ZWNkc2E="
    private static let rsa = "ssh-rsa cnNh"

    private static func known(_ lines: [String], host: String = "a.example", port: UInt16 = 22) -> KnownHosts {
        KnownHosts(lines.joined(separator: "\n"), host: host, port: port)
    }

    /// `ssh-keyscan` writes the RSA key first, which modern servers do not sign with as older libraries ask.
    @Test func theModernTypesComeFirst() {
        let hosts = Self.known([
            "# a.example:22 SSH-2.0", "a.example \(Self.rsa)", "a.example \(Self.ecdsa)",
            "a.example \(Self.ed25519) a comment",
        ])

        #expect(hosts.lines == ["\(Self.ed25519)", Self.ecdsa, Self.rsa].map { "a.example \($0)\n" }.joined())
        #expect(!hosts.hasOnlyRSA)
        #expect(Self.known(["a.example \(Self.rsa)"]).hasOnlyRSA)
        #expect(!Self.known([]).hasOnlyRSA)
    }

    @Test(
        arguments: [
            ("a.example", true), ("A.Example", true), ("b.example,a.example", true), ("*.example", true),
            ("?.example", true),
            ("a*e", true), ("*", true), ("*.example,!a.example", false), ("!a.example,*", false), ("b.example", false),
            ("a.example.com", false), ("a.exampl", false), ("[a.example]:22", false), ("*b*", false),
        ]
    )
    func aLineIsOfTheHostsThatItsPatternsName(_ patterns: String, isOf: Bool) {
        #expect(Self.known(["\(patterns) \(Self.ed25519)"]).trusted.isEmpty == !isOf)
    }

    @Test(
        arguments: [
            ("[a.example]:2222", "a.example", true), ("[a.example]:23", "a.example", false),
            ("a.example", "a.example", true),
            ("[*.example]:2222", "a.example", true), ("[::1]:2222", "[::1]", true),
            ("[127.0.0.1]:2222", "127.0.0.1", true),
        ]
    )
    func anotherPortIsWrittenBesideTheName(_ patterns: String, host: String, isOf: Bool) {
        let hosts = Self.known(["\(patterns) \(Self.ed25519)"], host: host, port: 2222)

        #expect(hosts.trusted.isEmpty == !isOf)
        if isOf { #expect(hosts.lines.hasPrefix("[")) }
    }

    /// The example of a line that `ssh-keygen -H` makes of `a.example`.
    @Test func aHashedNameIsOfItsHostAlone() {
        let line = "|1|c2FsdHNhbHRzYWx0c2FsdHNhbHQ=|+Z2RGtXRIiVpHt0j0ullJX9PUBU= \(Self.ed25519)"

        #expect(Self.known([line]).trusted.count == 1)
        #expect(Self.known([line], host: "b.example").trusted.isEmpty)
    }

    @Test(arguments: ["@revoked * ", "@revoked a.example "])
    func aRevokedKeyIsNotTrustedThoughItIsListed(_ prefix: String) {
        for lines in [
            [prefix + Self.ed25519, "a.example \(Self.ed25519)"], ["a.example \(Self.ed25519)", prefix + Self.ed25519],
        ] {
            let hosts = Self.known(lines + ["a.example \(Self.ecdsa)"])

            #expect(hosts.trusted.map(\.type) == ["ecdsa-sha2-nistp256"])
            #expect(hosts.revoked == [Array("ed25519".utf8)])
        }
    }

    @Test(arguments: [
        "a.example", "a.example ssh-ed25519", "a.example ssh-ed25519 %%%", "@cert-authority a.example ssh-rsa cnNh",
        "@later a.example ssh-ed25519 ZWQyNTUxOQ==", "a.example sk-ssh-ed25519@openssh.com c2s=", "|1|x a b",
        "|1||| a b", "",
    ])
    func aLineThatIsOfNoUseIsSkipped(_ line: String) {
        #expect(Self.known([line, "a.example \(Self.ecdsa)"]).trusted.map(\.type) == ["ecdsa-sha2-nistp256"])
    }
}
