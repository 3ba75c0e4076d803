public import Model

/// What a patch does to the header fields of a download. Their names are compared without regard to case
/// (RFC 9110, section 5.1).
public enum HeaderPatch: Hashable, Sendable {
    /// Takes all of them away.
    case clear
    /// Sets those that have a value, takes away those that have none, leaves the others.
    case merge([Change])

    /// A field to set, or to take away where the value is nil.
    public struct Change: Hashable, Sendable {
        public let name: String
        public let value: String?

        public init(name: String, value: String?) {
            self.name = name
            self.value = value
        }
    }

    /// The fields as they are after the patch. A field that is set again keeps its place.
    ///
    /// There may be more of them than one request may set: ``RequestHeaderRules`` limits what one body says.
    public func applied(to fields: [RequestCredentials.Header]) -> [RequestCredentials.Header] {
        guard case .merge(let changes) = self else { return [] }
        var result = fields
        for change in changes {
            let index = result.firstIndex { $0.name.lowercased() == change.name.lowercased() }
            switch (index, change.value) {
            case (let index?, let value?): result[index] = RequestCredentials.Header(name: change.name, value: value)
            case (let index?, nil): result.remove(at: index)
            case (nil, let value?): result.append(RequestCredentials.Header(name: change.name, value: value))
            case (nil, nil): break
            }
        }
        return result
    }
}
