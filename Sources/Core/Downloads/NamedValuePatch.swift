/// What a download sends under a name, and a patch changes by it.
public protocol NamedValue: Hashable, Sendable {
    var name: String { get }
    var value: String { get }

    init(name: String, value: String)

    /// Whether two names are one.
    static func isSame(_ name: String, _ other: String) -> Bool
}

extension RequestCredentials.Header: NamedValue {
    /// Without regard to case (RFC 9110, section 5.1).
    public static func isSame(_ name: String, _ other: String) -> Bool { name.lowercased() == other.lowercased() }
}

extension RequestCredentials.Cookie: NamedValue {
    /// The case of a cookie's name matters (RFC 6265, section 4.1.1).
    public static func isSame(_ name: String, _ other: String) -> Bool { name == other }
}

/// What a patch does to the header fields of a download.
public typealias HeaderPatch = NamedValuePatch<RequestCredentials.Header>

/// What a patch does to the cookies of a download.
public typealias CookiePatch = NamedValuePatch<RequestCredentials.Cookie>

/// What a patch does to the values that a download sends under names.
public enum NamedValuePatch<Element: NamedValue>: Hashable, Sendable {
    /// Takes all of them away.
    case clear
    /// Sets names with a value, removes names without one, leaves the others.
    case merge([Change])

    /// A value to set; nil removes the name.
    public struct Change: Hashable, Sendable {
        public let name: String
        public let value: String?

        public init(name: String, value: String?) {
            self.name = name
            self.value = value
        }
    }

    /// The values as they are after the patch. One that is set again keeps its place.
    ///
    /// There may be more of them than one request may set: the reader limits what one body says.
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
