import HTTPFields

/// A pull parser for small XML documents (XML 1.0, Namespaces in XML 1.0): those of Metalink and of S3.
///
/// It is strict and supports only UTF-8, elements, attributes, text, comments, CDATA sections and the five predefined
/// entities. A document type declaration is an error, so there is no entity expansion and no external reference.
///
/// ```swift
/// var reader = try XMLReader(document)
/// while let event = try reader.next() { handle(event) }
/// ```
///
/// Events before an error may belong to a document that is not well-formed. Do not use them before ``next()`` has
/// returned nil.
public struct XMLReader: Sendable {
    /// A part of the document, in document order.
    public enum Event: Hashable, Sendable {
        /// The start of an element; an empty element has an ``end`` too.
        case start(XMLElement)
        /// The end of the element that was started last and has not ended.
        case end
        /// Character data with its references replaced. Text between two tags may come in several pieces, and white
        /// space between elements is text too.
        case text(String)
    }

    private var bytes: ArraySlice<UInt8>
    private var open: [(name: [UInt8], namespaces: [String: String])] = []
    /// Whether the next event ends an empty element.
    private var endsEmpty = false
    private var hasRoot = false

    /// The deepest nesting of elements that is accepted.
    public static let maximumDepth = 16
    /// The limit for the attributes of an element, and for the namespaces in scope.
    private static let maximumAttributes = 32

    /// Checks the encoding of a document. The caller limits its size.
    ///
    /// - Throws: `malformed` if it is not UTF-8 or has a character that XML does not allow.
    public init(_ document: [UInt8]) throws(XMLParseError) {
        guard let text = String(validating: document, as: UTF8.self) else { throw .malformed }
        // Control characters except for tab, line feed and carriage return are not XML characters (section 2.2).
        let isHostile = text.unicodeScalars.contains { scalar in
            (scalar.value < 0x20 && ![0x09, 0x0A, 0x0D].contains(scalar.value)) || (scalar.value & 0xFFFE) == 0xFFFE
        }
        guard !isHostile else { throw .malformed }
        bytes = document[...]
        _ = consume("\u{FEFF}")
        try skipDeclaration()
    }

    /// - Returns: The next event; nil at the end of the document.
    public mutating func next() throws(XMLParseError) -> Event? {
        if endsEmpty {
            endsEmpty = false
            open.removeLast()
            return .end
        }
        while !bytes.isEmpty {
            if consume("<!--") {
                let comment = try consume(until: "-->")
                guard !comment.contains("--".utf8) else { throw .malformed }
            } else if consume("<![CDATA[") {
                guard !open.isEmpty else { throw .malformed }
                return .text(String(decoding: try consume(until: "]]>"), as: UTF8.self))
            } else if consume("<?") {
                let instruction = try consume(until: "?>")
                // An XML declaration is allowed only at the start of the document.
                guard !instruction.prefix(3).map({ $0 | 0x20 }).elementsEqual("xml".utf8) else { throw .malformed }
            } else if consume("<!") {
                throw .documentType
            } else if consume("</") {
                return try end()
            } else if consume("<") {
                return .start(try start())
            } else if let text = try text() {
                return .text(text)
            }
        }
        guard open.isEmpty, hasRoot else { throw .malformed }
        return nil
    }

    private mutating func skipDeclaration() throws(XMLParseError) {
        guard bytes.starts(with: "<?xml".utf8), let byte = bytes.dropFirst(5).first, byte.isXMLSpace else { return }
        let declaration = String(decoding: try consume(until: "?>"), as: UTF8.self).lowercased()
        guard declaration.utf8.contains("encoding".utf8) else { return }
        guard declaration.utf8.contains("utf-8".utf8) || declaration.utf8.contains("us-ascii".utf8) else {
            throw .malformed
        }
    }

    // MARK: - Elements

    private mutating func start() throws(XMLParseError) -> XMLElement {
        if open.isEmpty {
            guard !hasRoot else { throw .malformed }
            hasRoot = true
        }
        guard open.count < Self.maximumDepth else { throw .tooDeep }
        let name = try parseName()
        var attributes: [String: String] = [:]
        while true {
            let hadSpace = skipSpace()
            if consume("/>") {
                endsEmpty = true
                break
            }
            if consume(">") { break }
            guard hadSpace else { throw .malformed }
            guard attributes.count < Self.maximumAttributes else { throw .tooDeep }
            let attribute = String(decoding: try parseName(), as: UTF8.self)
            _ = skipSpace()
            guard consume("=") else { throw .malformed }
            _ = skipSpace()
            guard attributes.updateValue(try parseValue(), forKey: attribute) == nil else { throw .malformed }
        }
        return try enter(name, attributes)
    }

    private mutating func enter(
        _ name: [UInt8],
        _ attributes: [String: String]
    ) throws(XMLParseError) -> XMLElement {
        var namespaces = open.last?.namespaces ?? [:]
        for (attribute, value) in attributes {
            if attribute == "xmlns" { namespaces[""] = value }
            if attribute.hasPrefix("xmlns:") { namespaces[String(attribute.dropFirst(6))] = value }
        }
        guard namespaces.count <= Self.maximumAttributes else { throw .tooDeep }
        open.append((name, namespaces))
        let parts = name.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 2, let local = parts.last, !local.isEmpty else { throw .malformed }
        let prefix = parts.count == 2 ? String(decoding: parts[0], as: UTF8.self) : ""
        let namespace = namespaces[prefix]
        guard prefix.isEmpty || namespace != nil else { throw .malformed }
        return XMLElement(
            namespace: namespace ?? "",
            name: String(decoding: local, as: UTF8.self),
            attributes: attributes
        )
    }

    private mutating func end() throws(XMLParseError) -> Event {
        let name = try parseName()
        _ = skipSpace()
        guard consume(">"), let last = open.popLast(), last.name == name else { throw .malformed }
        return .end
    }

    // MARK: - Text

    /// - Returns: nil for white space outside the root element.
    private mutating func text() throws(XMLParseError) -> String? {
        let raw = bytes.prefix { $0 != UInt8(ascii: "<") }
        bytes = bytes.dropFirst(raw.count)
        if open.isEmpty {
            guard raw.allSatisfy(\.isXMLSpace) else { throw .malformed }
            return nil
        }
        guard !raw.contains("]]>".utf8) else { throw .malformed }
        return try XMLText.expanded(raw)
    }

    private mutating func parseValue() throws(XMLParseError) -> String {
        guard let quote = bytes.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw .malformed
        }
        bytes = bytes.dropFirst()
        let raw = bytes.prefix { $0 != quote && $0 != UInt8(ascii: "<") }
        bytes = bytes.dropFirst(raw.count)
        guard bytes.popFirst() == quote else { throw .malformed }
        return try XMLText.expanded(raw)
    }

    private mutating func parseName() throws(XMLParseError) -> [UInt8] {
        let name = bytes.prefix(while: \.isXMLNameByte)
        guard let first = name.first, !first.isASCIIDigit, first != UInt8(ascii: "-"), first != UInt8(ascii: ".") else {
            throw .malformed
        }
        bytes = bytes.dropFirst(name.count)
        return Array(name)
    }

    // MARK: - Bytes

    private mutating func consume(_ text: StaticString) -> Bool {
        let wanted = text.description.utf8
        guard bytes.starts(with: wanted) else { return false }
        bytes = bytes.dropFirst(wanted.count)
        return true
    }

    private mutating func consume(until end: StaticString) throws(XMLParseError) -> ArraySlice<UInt8> {
        let wanted = Array(end.description.utf8)
        var index = bytes.startIndex
        while index + wanted.count <= bytes.endIndex {
            if bytes[index] == wanted[0], bytes[index...].starts(with: wanted) {
                defer { bytes = bytes[(index + wanted.count)...] }
                return bytes[..<index]
            }
            index += 1
        }
        throw .malformed
    }

    private mutating func skipSpace() -> Bool {
        let count = bytes.prefix(while: \.isXMLSpace).count
        bytes = bytes.dropFirst(count)
        return count > 0
    }
}

extension UInt8 {
    fileprivate var isXMLSpace: Bool { self == .space || self == .tab || self == 0x0A || self == 0x0D }

    /// Whether the byte may be part of a name. All bytes above ASCII are accepted, because no known name contains one.
    fileprivate var isXMLNameByte: Bool {
        isASCIILetter || isASCIIDigit || self >= 0x80 || self == UInt8(ascii: ":") || self == UInt8(ascii: "_")
            || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
    }
}

extension Collection where Element == UInt8 {
    fileprivate func contains(_ needle: some Collection<UInt8>) -> Bool {
        indices.contains { self[$0...].starts(with: needle) }
    }
}
