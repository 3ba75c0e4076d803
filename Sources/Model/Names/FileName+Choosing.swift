extension Download {
    /// What the finished file is to be called, if the name is free.
    ///
    /// - Parameter source: What the origin said of the file.
    public func fileName(_ source: Source) -> FileName {
        FileName.choose(requested: request.filename, suggested: source.suggestedName, url: request.url.text)
    }
}

extension FileName {
    /// Chooses a download's name: the client's own, else the one that the origin sends, else the last component of the
    /// URL's path, else `download`.
    ///
    /// - Parameters:
    ///   - requested: The client's; it wins as it is.
    ///   - suggested: The origin's, which is made safe once more.
    ///   - url: The URL that was asked for. Neither its host nor its query ever becomes a name.
    static func choose(requested: FileName?, suggested: String?, url: String) -> FileName {
        requested
            ?? suggested.flatMap(sanitized)
            ?? lastPathComponent(ofURL: url).flatMap(sanitized)
            ?? .download
    }

    /// The name that a `Content-Disposition` (RFC 6266) proposes, made safe; nil where nothing is left of it.
    public static func suggested(byContentDisposition fieldValue: String) -> FileName? {
        ContentDisposition(fieldValue).filename.flatMap(sanitized)
    }

    /// The name that a Metalink document gives its file, made safe: of a path only what follows its last slash.
    public static func suggested(byMetalink name: String) -> FileName? {
        name.split(separator: "/").last.map(String.init).flatMap(sanitized)
    }

    /// The last component of a URL's path, percent-decoded only after the path is split: an encoded slash separates
    /// nothing.
    static func lastPathComponent(ofURL url: String) -> String? {
        let bytes = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        var cursor = FieldCursor(String(decoding: bytes, as: UTF8.self))
        _ = cursor.take { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") }
        if cursor.take("://") { _ = cursor.take { $0 != UInt8(ascii: "/") } }
        let path = cursor.take { _ in true }
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return String(decoding: PercentEncoding.decode(path[(slash + 1)...]), as: UTF8.self)
    }
}
