/// The name of a finished file: one component of a path, safe on every file system that may hold a copy of it.
///
/// It is never empty, never `.` or `..`, and has no separator, no control character and at most
/// ``maximumBytes`` bytes of UTF-8.
public struct FileName: Hashable, Sendable, CustomStringConvertible {
    public let value: String

    /// The limit of the usual file systems (`NAME_MAX`).
    public static let maximumBytes = 255
    /// The name of what has none.
    public static let download = FileName(unchecked: "download")

    init(unchecked value: String) {
        self.value = value
    }

    public var description: String { value }

    /// Reads a name that a client chose. It is taken as it is or refused, never changed.
    public init(validating name: String) throws(InvalidName) {
        if let fault = NameRules.fault(inComponent: name) { throw fault }
        self.init(unchecked: name)
    }
}
