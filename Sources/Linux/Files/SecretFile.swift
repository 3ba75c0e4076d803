import Glibc

/// Reads and creates files that contain one secret: a token, a signing secret or a key.
public enum SecretFile {
    /// In bytes. Secrets are short; a larger file is a configuration mistake.
    private static let maximumSize = 65_536

    /// Reads the text and removes one newline at its end, which editors and `echo` add.
    ///
    /// Links and pipes are accepted, because container platforms provide secrets as either.
    /// - Throws: `EFBIG` above 64 KiB, `EILSEQ` if the text is not UTF-8.
    public static func read(path: String) throws(SystemError) -> Secret {
        try read(try File(path: path, access: .read))
    }

    /// Reads the text of a regular file of `directory`, like ``read(path:)``.
    public static func read(named name: String, in directory: Directory) throws(SystemError) -> Secret {
        try read(try directory.openFile(named: name, access: .read))
    }

    /// Creates the file atomically and durably, with permissions 0600 and a newline at its end.
    ///
    /// - Throws: ``SystemError/isExists`` if the name is taken; the existing file does not change.
    public static func create(_ text: String, named name: String, in directory: Directory) throws(SystemError) {
        try directory.writeDurably(Array(text.utf8) + [UInt8(ascii: "\n")], named: name, replacing: false)
    }

    private static func read(_ file: File) throws(SystemError) -> Secret {
        var bytes = try file.readToEnd(limit: maximumSize)
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SystemError(code: EILSEQ, call: "read")
        }
        return Secret(text: text, isReadableByOthers: try file.information().isReadableByOthers)
    }
}

/// A secret from a file or the environment. Printing, interpolating or dumping it hides its text.
public struct Secret: Hashable, Sendable {
    public let text: String

    /// Whether the group or everyone can read the file. The service logs a warning then.
    public let isReadableByOthers: Bool

    public init(text: String, isReadableByOthers: Bool = false) {
        self.text = text
        self.isReadableByOthers = isReadableByOthers
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        "<secret>"
    }

    public var debugDescription: String {
        description
    }

    public var customMirror: Mirror {
        Mirror(self, children: [:])
    }
}
