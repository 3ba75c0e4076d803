/// One header field, of a request or a response; the order of fields and the case of names are kept.
public struct HeaderField: Hashable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether the field is called `other`; the case of names says nothing (RFC 9110, section 5.1).
    public func isNamed(_ other: String) -> Bool {
        let (mine, others) = (name.utf8, other.utf8)
        return mine.count == others.count && zip(mine, others).allSatisfy { $0 == $1 || $0.lowercased == $1.lowercased }
    }

    /// Whether the field can be sent as it stands: the name is a token and the value has no control
    /// character but a tab (RFC 9110, sections 5.1 and 5.5).
    ///
    /// libcurl sends what it is given, so a line break in a value would become another field.
    public var isSendable: Bool {
        !name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter)
            && value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }

    /// The line for `CURLOPT_HTTPHEADER`, where a semicolon in place of the colon sends an empty value.
    var line: String {
        value.allSatisfy { $0 == " " || $0 == "\t" } ? "\(name);" : "\(name): \(value)"
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }

    /// `tchar` of RFC 9110, section 5.6.2. This target knows no other of ours, so it has a table of its own.
    var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}
