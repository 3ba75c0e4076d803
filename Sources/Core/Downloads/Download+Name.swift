extension Download {
    /// The name of the file as far as it is known: that of the finished file, else the requested one, else the one that
    /// the origin proposes, else the one in the URL. A name without a suffix gets that of the type, except the
    /// requested one. The name may change until the file is published.
    public var name: String {
        guard let path = (file ?? keptFile)?.path else { return fileName(source).value }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }

    /// The name in the form in which lists sort and search it.
    public var nameKey: String { name.searchKey }

    /// Whether the values that determine the name are those of `other`.
    public func hasNameSources(of other: Self) -> Bool {
        request.filename == other.request.filename && request.url == other.request.url
            && source.suggestedName == other.source.suggestedName && source.contentType == other.source.contentType
            && source.contentEncoding == other.source.contentEncoding && file?.path == other.file?.path
            && keptFile?.path == other.keptFile?.path
    }
}
