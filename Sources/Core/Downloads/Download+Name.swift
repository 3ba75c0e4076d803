extension Download {
    /// The name of the file as far as it is known: the name that it has, else the requested one, else the one that the
    /// origin proposes, else the one of the URL. It may change until the file is there.
    public var name: String {
        guard let path = file?.path else { return fileName(source).value }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }

    /// The name in the form that lists are sorted by and searched for.
    public var nameKey: String { name.lowercased() }

    /// Whether the name follows from the same values as that of `other`, so that it is the same.
    public func hasNameSources(of other: Self) -> Bool {
        request.filename == other.request.filename && request.url == other.request.url
            && source.suggestedName == other.source.suggestedName && file?.path == other.file?.path
    }
}
