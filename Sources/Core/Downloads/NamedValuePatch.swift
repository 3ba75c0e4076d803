/// A value that a download sends under a name: a header field or a cookie.
public protocol NamedValue: Hashable, Sendable {
    var name: String { get }
    var value: String { get }

    init(name: String, value: String)

    /// Whether two names are equal.
    static func isSame(_ name: String, _ other: String) -> Bool
}

extension RequestCredentials.Header: NamedValue {
    /// Names of header fields are not case-sensitive (RFC 9110, section 5.1).
    public static func isSame(_ name: String, _ other: String) -> Bool { name.lowercased() == other.lowercased() }
}

extension RequestCredentials.Cookie: NamedValue {
    /// Names of cookies are case-sensitive (RFC 6265, section 4.1.1).
    public static func isSame(_ name: String, _ other: String) -> Bool { name == other }
}

/// A patch of the header fields of a download.
public typealias HeaderPatch = NamedValuePatch<RequestCredentials.Header>

/// A patch of the cookies of a download.
public typealias CookiePatch = NamedValuePatch<RequestCredentials.Cookie>

/// A patch of named values.
public enum NamedValuePatch<Element: NamedValue>: Hashable, Sendable {
    /// Removes all values.
    case clear
    /// Sets or removes the values of the given names and leaves the others.
    case merge([Change])

    /// A new value for a name; nil removes the name.
    public struct Change: Hashable, Sendable {
        public let name: String
        public let value: String?

        public init(name: String, value: String?) {
            self.name = name
            self.value = value
        }
    }

    /// The values after the patch. A value that is replaced keeps its position.
    ///
    /// There may be more values than a single request may set: the reader limits only the size of a patch.
    public func applied(to elements: [Element]) -> [Element] {
        guard case .merge(let changes) = self else { return [] }
        var result = elements
        for change in changes {
            let index = result.firstIndex { Element.isSame($0.name, change.name) }
            switch (index, change.value) {
            case (let index?, let value?): result[index] = Element(name: change.name, value: value)
            case (let index?, nil): result.remove(at: index)
            case (nil, let value?): result.append(Element(name: change.name, value: value))
            case (nil, nil): break
            }
        }
        return result
    }
}
