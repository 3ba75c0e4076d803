public import Model

/// What a patch does to the cookies of a download. The case of their names matters (RFC 6265, section 4.1.1).
public enum CookiePatch: Hashable, Sendable {
    /// Takes all of them away.
    case clear
    /// Sets those that have a value, takes away those that have none, leaves the others.
    case merge([Change])

    /// A cookie to set, or to take away where the value is nil.
    public struct Change: Hashable, Sendable {
        public let name: String
        public let value: String?

        public init(name: String, value: String?) {
            self.name = name
            self.value = value
        }
    }

    /// The cookies as they are after the patch. One that is set again keeps its place.
    public func applied(to cookies: [RequestCredentials.Cookie]) -> [RequestCredentials.Cookie] {
        guard case .merge(let changes) = self else { return [] }
        var result = cookies
        for change in changes {
            let index = result.firstIndex { $0.name == change.name }
            switch (index, change.value) {
            case (let index?, let value?): result[index] = RequestCredentials.Cookie(name: change.name, value: value)
            case (let index?, nil): result.remove(at: index)
            case (nil, let value?): result.append(RequestCredentials.Cookie(name: change.name, value: value))
            case (nil, nil): break
            }
        }
        return result
    }
}
