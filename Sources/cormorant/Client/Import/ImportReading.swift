import Client

/// A format that `import` reads.
enum ImportFormat: String, CaseIterable {
    case auto, urls, aria2, metalink, curl

    /// The format of a text, by its first lines.
    static func recognised(in text: String) -> ImportFormat {
        let lines = text.split(whereSeparator: \.isNewline).filter { line in
            line.contains { !$0.isWhitespace } && !line.hasPrefix("#")
        }
        guard let first = lines.first else { return .urls }
        if first.contains("<") && !first.contains("://") || first.hasPrefix("<") { return .metalink }
        if lines.contains(where: { $0.first?.isWhitespace == true || $0.contains("\t") }) { return .aria2 }
        let isURL = first.prefix { $0 != ":" }.allSatisfy { $0.isLetter || $0.isNumber } && first.contains("://")
        return isURL ? .urls : .curl
    }
}

/// What a file says.
struct ImportReading {
    struct Entry: Hashable {
        var line: Int
        var new: Download.Request
    }

    /// An option without a counterpart.
    struct Unknown: Hashable {
        var line: Int
        var name: String
    }

    /// What ``Entry/line`` counts, for errors.
    var unit = "line"
    var entries: [Entry] = []
    var unknown: [Unknown] = []

    mutating func read(_ text: String, _ format: ImportFormat) throws(ImportError) {
        switch format {
        case .auto, .urls:
            entries = URLList.parse(text).map { Entry(line: $0.number, new: Download.Request(url: $0.url)) }
        case .aria2: try readAria2(text)
        case .curl: try readCurl(text)
        case .metalink: try readMetalink(text)
        }
        guard !entries.isEmpty else { throw ImportError([": it names no URL"]) }
    }
}

/// Why a file cannot be read: one text for each place, to follow the name of the file.
struct ImportError: Error, Hashable {
    let lines: [String]

    init(_ lines: [String]) { self.lines = lines }

    init(line: Int, _ text: String) { lines = [", line \(line): \(text)"] }
}
