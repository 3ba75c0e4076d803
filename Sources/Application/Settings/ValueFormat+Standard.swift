import Core
import Curl
import Linux
import Logging
import Service
import Transfer

extension ValueFormat where Value == String {
    static var path: Self { Self("path", expects: "a path", read: { $0.isEmpty ? nil : $0 }, text: { $0 }) }

    /// A host name as in the `Host` field.
    static var host: Self {
        Self(
            "host",
            expects: "a host name or address without a port, such as downloads.example.com",
            read: Self.readHost,
            text: { $0 }
        )
    }

    /// An origin in the form of the `Origin` field (RFC 6454, section 7).
    static var webOrigin: Self {
        Self("origin", expects: "an origin, such as https://app.example.com, or *", read: Self.readOrigin, text: { $0 })
    }

    private static func readHost(_ text: String) -> String? {
        // An IPv6 address may have the brackets of a URL.
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        if let address = IPAddress(isBracketed ? String(text.dropFirst().dropLast()) : text) {
            if case .v4 = address, isBracketed { return nil }
            return address.description
        }
        let isHost =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                let scalar = Unicode.Scalar(byte)
                return scalar.properties.isAlphabetic && byte < 0x80 || (0x30...0x39).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
            }
        return isHost ? text.lowercased() : nil
    }

    private static func readOrigin(_ text: String) -> String? {
        if text == "*" { return text }
        // Browsers send an origin in lower case and without a path. Origins are compared as text.
        guard let url = try? GivenURL(parsing: text).url, url.text == "\(text)/" else { return nil }
        return text
    }
}

extension ValueFormat where Value == SystemGroup {
    /// A group, which is looked up at once.
    static var group: Self {
        Self("group", expects: "the name or number of a group of this system", read: SystemGroup.init, text: \.text)
    }
}

extension ValueFormat where Value == UInt32 {
    /// Permission bits in octal, as in `chmod(1)`.
    ///
    /// - Parameter least: The permissions that the owner must have.
    static func permissions(_ least: UInt32) -> Self {
        let lowest = "0" + String(least, radix: 8)
        return Self(
            "mode",
            expects: "octal permissions from \(lowest) to 0777 that include \(lowest)",
            read: { text in
                guard (3...4).contains(text.count), text.first != "+", let bits = UInt32(text, radix: 8) else {
                    return nil
                }
                return bits & least == least && bits <= 0o777 ? bits : nil
            },
            text: { "0" + String($0, radix: 8) }
        )
    }
}

extension ValueFormat where Value == Bool {
    static var flag: Self {
        Self(
            "true|false",
            expects: "true or false",
            read: { text in ["true": true, "false": false][text] },
            text: { $0 ? "true" : "false" }
        )
    }
}

extension ValueFormat where Value == Int {
    static func count(from least: Int = 1, upTo most: Int = .max) -> Self {
        Self(
            "number",
            expects:
                "\(most == .max ? "a whole number of \(least) or more" : "a whole number from \(least) to \(most)")",
            read: { Int($0).flatMap { (least...most).contains($0) ? $0 : nil } },
            text: { String($0) }
        )
    }

    /// An HTTP status of an error (RFC 9110, 15.5 and 15.6).
    static var errorStatus: Self {
        Self(
            "status",
            expects: "an HTTP status from 400 to 599",
            read: { Int($0).flatMap { HTTPStatuses.range.contains($0) ? $0 : nil } },
            text: { String($0) }
        )
    }

    static var size: Self {
        Self(
            "size",
            expects: ByteSize.expectation,
            read: { ByteSize.parse($0).flatMap(Int.init(exactly:)) },
            text: { ByteSize.text(Int64($0)) }
        )
    }
}

extension ValueFormat where Value == Int64 {
    /// Bytes per second. A lower limit cannot be applied evenly: origins close connections that read nothing for long.
    static var rate: Self {
        Self(
            "size",
            expects: "\(ByteSize.expectation), 1KiB or more",
            read: { ByteSize.parse($0).flatMap { $0 >= 1 << 10 ? $0 : nil } },
            text: ByteSize.text
        )
    }

    static var size: Self {
        Self("size", expects: ByteSize.expectation, read: ByteSize.parse, text: ByteSize.text)
    }
}

extension ValueFormat where Value == Duration {
    static var duration: Self {
        Self("duration", expects: DurationText.expectation, read: DurationText.parse, text: DurationText.text)
    }
}

extension ValueFormat where Value == Duration {
    static func duration(from least: Duration, upTo most: Duration) -> Self {
        Self(
            "duration",
            expects: "a duration from \(DurationText.text(least)) to \(DurationText.text(most)), such as 30s or 15m",
            read: { DurationText.parse($0).flatMap { (least...most).contains($0) ? $0 : nil } },
            text: DurationText.text
        )
    }
}

extension ValueFormat where Value == ListenAddress {
    static var listenAddress: Self {
        Self(
            "address",
            expects: "an address and port, such as 127.0.0.1:8080, [::1]:8080 or :8080",
            read: { ListenAddress($0) },
            text: \.description
        )
    }
}

extension ValueFormat where Value == [ListenAddress] {
    /// At least one address.
    static var listenAddresses: Self {
        let list = ValueFormat<ListenAddress>.listenAddress.list
        return list.refusing("expects at least one address and port") { $0.isEmpty }
    }
}

extension ValueFormat where Value == CIDR {
    static var addressBlock: Self {
        Self(
            "block",
            expects: "a block of addresses, such as 10.0.0.0/8 or fd00::/8",
            read: { CIDR($0) },
            text: \.description
        )
    }
}

extension ValueFormat where Value == ClientCertificate {
    static var clientCertificate: Self {
        Self(
            "host=file[:key file]",
            expects: "a host and a file, such as files.example.com=/etc/cormorant/client.pem:/etc/cormorant/client.key",
            read: { ClientCertificate($0) },
            text: \.description
        )
    }
}

extension ValueFormat where Value == ProxyRules.Exception {
    static var proxyException: Self {
        Self(
            "host",
            expects: "a host name, an address, a block of addresses or *",
            read: { ProxyRules.Exception($0) },
            text: \.description
        )
    }
}

extension ValueFormat where Value == DownloadURL {
    /// An http or https URL. Its path and query are redacted, since URLs of receivers often contain tokens.
    static var url: Self {
        Self(
            "url",
            expects: "an http or https URL without user and password",
            read: { text in
                guard let given = try? GivenURL(parsing: text), !given.hasUser else { return nil }
                return given.url
            },
            text: { RedactedURL($0, hiding: .path).text }
        )
    }
}

extension ValueFormat where Value: RawRepresentable, Value.RawValue == String {
    /// One of the raw values of an enumeration.
    static func word(_ cases: [Value]) -> Self {
        let words = cases.map(\.rawValue)
        return Self(
            words.joined(separator: "|"),
            expects: "one of \(words.joined(separator: ", "))",
            read: { words.contains($0) ? Value(rawValue: $0) : nil },
            text: \.rawValue
        )
    }
}
