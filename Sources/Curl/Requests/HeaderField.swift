/// A header field of a request or response. The order of fields and the case of names are kept.
public struct HeaderField: Hashable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether the field's name is `other`, ignoring case (RFC 9110, section 5.1).
    public func isNamed(_ other: String) -> Bool {
        let (mine, others) = (name.utf8, other.utf8)
        return mine.count == others.count && zip(mine, others).allSatisfy { $0 == $1 || $0.lowercased == $1.lowercased }
    }

    /// Whether the field can be sent unchanged: the name is a token, and the value has no control character except tab
    /// (RFC 9110, sections 5.1 and 5.5).
    ///
    /// libcurl does not check fields. A line break in a value would start another field.
    public var isSendable: Bool {
        !name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter)
            && value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }

    /// The line for `CURLOPT_HTTPHEADER`. A semicolon in place of the colon makes libcurl send an empty value.
    var line: String {
        value.allSatisfy { $0 == " " || $0 == "\t" } ? "\(name);" : "\(name): \(value)"
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}
