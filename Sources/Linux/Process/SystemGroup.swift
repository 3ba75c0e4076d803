import Glibc

/// A group of the system's users.
public struct SystemGroup: Hashable, Sendable {
    /// The name or number as the operator wrote it.
    public let text: String
    public let number: UInt32

    /// Looks up a group by its name, or by its number if no group has this name; nil if there is none.
    public init?(_ text: String) {
        // The highest number means "unchanged" (chown(2)).
        guard let number = Self.number(of: text) ?? Self.plainNumber(text), number != .max else { return nil }
        (self.text, self.number) = (text, number)
    }

    private static func plainNumber(_ text: String) -> UInt32? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt32(text) : nil
    }

    private static func number(of name: String) -> UInt32? {
        guard !name.isEmpty, !name.utf8.contains(0) else { return nil }
        var buffer = [CChar](repeating: 0, count: 1024)
        while buffer.count <= 1 << 20 {
            var entry = group()
            var found: UnsafeMutablePointer<group>?
            let code = getgrnam_r(name, &entry, &buffer, buffer.count, &found)
            // getgrnam_r(3): the buffer is too small for the group's members.
            guard code == ERANGE else { return found == nil ? nil : entry.gr_gid }
            buffer = [CChar](repeating: 0, count: buffer.count * 4)
        }
        return nil
    }
}
