import Application
import Client
import Core
import FoundationEssentials

/// Finds the downloads that a command line names: by id, by the unique start of an id, or by name.
struct DownloadNames {
    let client: CormorantClient

    /// The most candidates that an error lists.
    private static let mostCandidates = 10

    /// - Returns: The id for each text, in their order, none twice.
    func ids(_ texts: [String]) async throws -> [String] {
        var ids: [String] = []
        for text in texts {
            let id = try await id(text)
            if !ids.contains(id) { ids.append(id) }
        }
        return ids
    }

    /// - Throws: ``CommandFailure`` if no download has this name, or several have.
    func id(_ text: String) async throws -> String {
        if DownloadID(text) != nil { return text }
        var found: [Client.Download] = []
        let prefix = IDPrefix(text)
        if let prefix { found = try await candidates(prefix) }
        if found.isEmpty { found = try await named(ArgumentName(argument: text).name) }
        switch found.count {
        case 1: return found[0].id
        case 0: throw CommandFailure(.noInput, Self.absent(text, isPrefix: prefix != nil && text.hasPrefix("dl_")))
        default: throw CommandFailure(.usage, Self.ambiguous(text, found))
        }
    }

    private func candidates(_ prefix: IDPrefix) async throws -> [Client.Download] {
        var query = DownloadQuery()
        query.filter.createdAfter = prefix.first.addingTimeInterval(-0.001)
        query.filter.createdBefore = prefix.last.addingTimeInterval(0.001)
        return try await first(query) { $0.id.hasPrefix(prefix.text) }
    }

    private func named(_ text: String) async throws -> [Client.Download] {
        var query = DownloadQuery()
        query.filter.q = text
        return try await first(query) { $0.name == text }
    }

    private func first(
        _ query: DownloadQuery,
        where matches: (Client.Download) -> Bool
    ) async throws -> [Client.Download] {
        var query = query
        query.limit = 200
        query.detail = .fields(["name", "created_at"])
        var found: [Client.Download] = []
        for try await download in client.downloads(query) where matches(download) {
            found.append(download)
            if found.count > Self.mostCandidates { break }
        }
        return found
    }

    private static func absent(_ text: String, isPrefix: Bool) -> String {
        if !isPrefix && text.hasPrefix("dl_") {
            return "'\(text.printable)' is not the start of an id. Expected dl_ and at least \(IDPrefix.least) of its "
                + "characters."
        }
        let what = isPrefix ? "No download has an id that starts with" : "No download has the id or the name"
        let name = ArgumentName(argument: text).name
        let search = name.hasPrefix("-") ? "--search=\(name)" : "-q \(name)"
        return "\(what) '\(text.printable)'. 'cormorant ls \(search.printable)' searches names and URLs."
    }

    private static func ambiguous(_ text: String, _ found: [Client.Download]) -> String {
        var table = Table([Table.Column(title: "ID"), Table.Column(title: "STATE"), Table.Column(title: "NAME")])
        table.rows = found.prefix(mostCandidates).map { [.init($0.id), .init($0.state), .init($0.name)] }
        let more = found.count > mostCandidates ? ["…"] : []
        return
            (["'\(text.printable)' is not unique. Expected one of these ids:"]
            + table.lines(width: nil, isColoured: false) + more).joined(separator: "\n")
    }
}

/// The name of a file on a command line. One that begins with a hyphen would be an option, so it is written as a path:
/// `./--all`.
struct ArgumentName: Hashable {
    let name: String

    init(name: String) { self.name = name }

    init(argument: String) { name = argument.hasPrefix("./") ? String(argument.dropFirst(2)) : argument }

    var argument: String { name.hasPrefix("-") ? "./" + name : name }
}

/// The start of an id of a download, with or without `dl_`. Its first ten digits are the time of creation in
/// milliseconds (RFC 9562, section 5.7), so it bounds the downloads that it may mean.
struct IDPrefix: Hashable {
    /// With `dl_`.
    let text: String
    let first: Date
    let last: Date

    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz")
    static let least = 6
    private static let timeDigits = 10

    /// - Returns: nil if no id starts like this, or if the text is too short to find one by.
    init?(_ text: String) {
        let rest = text.hasPrefix("dl_") ? text.dropFirst(3) : text[...]
        guard rest.count >= Self.least, rest.count <= 26, let head = rest.first, "01234567".contains(head) else {
            return nil
        }
        var (low, high): (Int64, Int64) = (0, 0)
        for digit in rest.prefix(Self.timeDigits) {
            guard let value = Self.digits.firstIndex(of: digit) else { return nil }
            low = low << 5 | Int64(value)
            high = high << 5 | Int64(value)
        }
        guard rest.allSatisfy({ Self.digits.contains($0) }) else { return nil }
        for _ in rest.prefix(Self.timeDigits).count..<Self.timeDigits {
            low <<= 5
            high = high << 5 | 31
        }
        self.text = "dl_" + rest
        first = Date(timeIntervalSince1970: Double(low) / 1000)
        last = Date(timeIntervalSince1970: Double(high) / 1000)
    }

    /// The ids cut to the length at which they still differ, of at least 13 characters.
    static func shortened(_ ids: [String]) -> [String] {
        var length = 13
        while length < 29, Set(ids.map { $0.prefix(length) }).count < Set(ids).count { length += 1 }
        return ids.map { String($0.prefix(length)) }
    }
}
