public import HTTPFields

/// The name of a finished file: a single path component that is safe on all common file systems, so that copies work.
///
/// It is never empty, `.` or `..`. It has no separator, no control character and at most ``maximumBytes`` bytes of
/// UTF-8.
public struct FileName: Hashable, Sendable, CustomStringConvertible {
    public let value: String

    /// The limit of common file systems (`NAME_MAX`).
    public static let maximumBytes = 255
    /// The name for a file that would have none.
    public static let download = FileName(unchecked: "download")
    /// The name for a web page at the root of a host, before its suffix.
    static let page = FileName(unchecked: "page")

    init(unchecked value: String) {
        self.value = value
    }

    public var description: String { value }

    /// Validates a client's name. It is accepted or refused, but never changed.
    public init(validating name: String) throws(InvalidName) {
        if let fault = NameRules.fault(inComponent: name) { throw fault }
        self.init(unchecked: name)
    }
}

extension FileName {
    /// Makes a safe name from any text, such as an origin's name. The result is `download` if nothing is left.
    ///
    /// Only the last component of a path is used. Control characters and bidirectional controls are removed, and so are
    /// dots and white space at both ends. A Windows device name gets an underscore prefix. A long name is shortened
    /// before its extension.
    public init(sanitizing text: String) {
        self = Self.sanitized(text) ?? .download
    }

    /// Like `init(sanitizing:)`, but nil if nothing is left. The result is short enough for every number of
    /// ``candidates(for:)``.
    static func sanitized(_ text: String) -> FileName? {
        if isPlain(text) { return FileName(unchecked: NameRules.isReserved(text) ? "_" + text : text) }
        let lastComponent = text.unicodeScalars.reversed().prefix { !NameRules.isSeparator($0) }
        var scalars = String.UnicodeScalarView()
        scalars.append(
            contentsOf: lastComponent.reversed().filter { !NameRules.isControl($0) && !NameRules.isBidiControl($0) }
        )
        let trimmed = trim(String(scalars).composed)
        guard !trimmed.unicodeScalars.allSatisfy(NameRules.isUnseen) else { return nil }
        let safe = NameRules.isReserved(trimmed) ? "_" + trimmed : trimmed
        return FileName(unchecked: shorten(safe, to: maximumBytes - numberBytes))
    }

    /// Whether nothing of a text has to be removed or shortened. Most names are plain, and each response shows one.
    private static func isPlain(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, first.isASCIILetter || first.isASCIIDigit, bytes.last != UInt8(ascii: "."),
            bytes.count < maximumBytes - numberBytes
        else { return false }
        return bytes.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
                || $0 == UInt8(ascii: "-")
        }
    }

    /// Removes leading and trailing dots, white space and invisible characters.
    private static func trim(_ name: String) -> String {
        let isOuter = { (scalar: Unicode.Scalar) in scalar == "." || NameRules.isSpace(scalar) }
        let front = name.unicodeScalars.drop(while: isOuter)
        let count = front.reversed().drop(while: isOuter).count
        return String(front.prefix(count))
    }

    /// Shortens a name to `limit` bytes. The extension stays.
    static func shorten(_ name: String, to limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        let (stem, suffix) = split(name)
        return trim(stem.prefix(bytes: limit - suffix.utf8.count)) + suffix
    }
}

extension FileName {
    private static let highestNumber = 99
    /// The number of bytes that a sanitised name leaves free for a number.
    static let numberBytes = mark(highestNumber).utf8.count

    /// The names to try in order while names are taken: this name, numbered names, and a name with the download's id.
    ///
    /// - Parameter longest: The longest name of the file system, in bytes.
    public func candidates(
        for download: DownloadID,
        longest: Int = Self.maximumBytes
    ) -> some Sequence<FileName> {
        (0...Self.highestNumber + 1).lazy.map { number in
            switch number {
            case 0: fitting(longest)
            case ...Self.highestNumber: numbered(number, longest: longest)
            default: FileName(sanitizing: "\(download) \(value)").fitting(longest)
            }
        }
    }

    /// The name, shortened before its extension where the file system has shorter names.
    ///
    /// - Parameter longest: The longest name of the file system, in bytes.
    public func fitting(_ longest: Int) -> FileName {
        FileName(unchecked: Self.shorten(value, to: max(longest, Self.shortestLimit)))
    }

    /// Enough for the longest extension, a number and a part of the name.
    private static let shortestLimit = 64

    /// The name with a number, such as `name (1).ext`.
    ///
    /// - Parameters:
    ///   - number: At least 1.
    ///   - longest: The longest result, in bytes.
    func numbered(_ number: Int, longest: Int = Self.maximumBytes) -> FileName {
        let (stem, suffix) = Self.split(value)
        let mark = Self.mark(number)
        let room = max(longest, Self.shortestLimit) - mark.utf8.count - suffix.utf8.count
        let shortened = stem.utf8.count > room ? stem.prefix(bytes: room) : stem
        return FileName(unchecked: shortened + mark + suffix)
    }

    private static func mark(_ number: Int) -> String { " (\(number))" }

    /// The stem, and the extension with its dot. `.tar.gz` and similar ones count as one extension. An extension has at
    /// most 32 bytes and only letters, digits, underscores and hyphens.
    static func split(_ name: String) -> (stem: String, suffix: String) {
        guard let cut = lastExtension(of: name[...]) else { return (name, "") }
        let stem = name[..<cut]
        if let inner = lastExtension(of: stem), stem[inner...].lowercased() == ".tar" {
            return (String(name[..<inner]), String(name[inner...]))
        }
        return (String(stem), String(name[cut...]))
    }

    /// The index of the extension's dot; never the start of the name.
    private static func lastExtension(of name: Substring) -> Substring.Index? {
        let utf8 = name.utf8
        guard let dot = utf8.lastIndex(of: UInt8(ascii: ".")), dot != utf8.startIndex else { return nil }
        let letters = utf8[utf8.index(after: dot)...]
        let isExtension =
            !letters.isEmpty && letters.count <= 32
            && letters.allSatisfy {
                $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
            }
        return isExtension ? dot : nil
    }
}

extension Download {
    /// The preferred name of the finished file.
    ///
    /// - Parameter source: The origin's statements about the file.
    public func fileName(_ source: Source) -> FileName {
        FileName.choose(
            requested: request.filename,
            suggested: source.suggestedName,
            url: request.url.text,
            type: source.suffixType
        )
    }
}

extension FileName {
    /// Chooses a download's name. In this order: the client's name, the origin's name, the last component of the URL's
    /// path, `download`. A name from a URL that has no suffix gets the one of its media type; a web page at the root of
    /// a host is `page.html`. Somebody has chosen the other two, such as `SHA256SUMS` or `Makefile`.
    ///
    /// - Parameters:
    ///   - requested: The client's name. It is used unchanged.
    ///   - suggested: The origin's name. It is sanitised again.
    ///   - url: The requested URL. Its host and query are not used.
    ///   - type: The media type of the file; nil if it is unknown or says nothing about the suffix.
    public static func choose(
        requested: FileName?,
        suggested: String?,
        url: String,
        type: MediaType? = nil
    ) -> FileName {
        if let requested { return requested }
        if let name = suggested.flatMap(sanitized) { return name }
        let name = lastPathComponent(ofURL: url).flatMap(sanitized)
        guard let type else { return name ?? .download }
        return (name ?? (type.isWebPage && isRoot(ofURL: url) ? .page : .download)).completed(by: type)
    }

    /// The name with the usual suffix of its media type, if it has no suffix. `text/plain` is what servers say of a
    /// file whose type they do not know, so it gives none.
    func completed(by type: MediaType) -> FileName {
        guard type.essence != "text/plain", FileSuffix.suffix(ofName: value) == nil,
            let suffix = FileSuffix.suffix(of: type)
        else { return self }
        return FileName(unchecked: Self.shorten("\(value).\(suffix)", to: Self.maximumBytes - Self.numberBytes))
    }

    /// The sanitised file name of a `Content-Disposition` field (RFC 6266); nil if nothing is left.
    public static func suggested(byContentDisposition fieldValue: String) -> FileName? {
        ContentDisposition(fieldValue).filename.flatMap(sanitized)
    }

    /// The sanitised name from a Metalink document. Of a path, only the part after the last slash is used.
    public static func suggested(byMetalink name: String) -> FileName? {
        name.split(separator: "/").last.map(String.init).flatMap(sanitized)
    }

    /// The last component of a URL's path. It is percent-decoded after the path is split, so an encoded slash is not a
    /// separator.
    public static func lastPathComponent(ofURL url: String) -> String? {
        let path = path(ofURL: url)
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let last = path[path.index(after: slash)...]
        guard last.contains(UInt8(ascii: "%")) else { return String(Substring(last)) }
        return String(decoding: PercentEncoding.decode(last), as: UTF8.self)
    }

    /// The path of a URL, percent-encoded.
    private static func path(ofURL url: String) -> Substring.UTF8View {
        let slash = UInt8(ascii: "/")
        let bytes = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let rest = bytes.drop { $0 != UInt8(ascii: ":") && $0 != slash }
        guard rest.starts(with: "://".utf8) else { return rest }
        return rest.dropFirst(3).drop { $0 != slash }
    }

    /// Whether the path of a URL is empty or `/`.
    private static func isRoot(ofURL url: String) -> Bool {
        let path = path(ofURL: url)
        return path.isEmpty || path.elementsEqual("/".utf8)
    }
}

extension Download.Source {
    /// The media type that the name's suffix follows; nil for a file that is stored with a content coding, whose bytes
    /// are of another type.
    var suffixType: MediaType? {
        contentEncoding == nil ? contentType.flatMap(MediaType.init) : nil
    }
}
