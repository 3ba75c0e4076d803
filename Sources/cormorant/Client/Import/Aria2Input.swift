import Client
import HTTPFields

/// The input file of aria2 (aria2c(1), "Input File"): a line of URLs separated by tabs, then its options in indented
/// lines.
extension ImportReading {
    mutating func readAria2(_ text: String) throws(ImportError) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let number = index + 1
            guard let first = line.first(where: { !$0.isWhitespace }), first != "#" else { continue }
            if line.first?.isWhitespace == true {
                try readAria2Option(line.trimmedWhitespace, number)
            } else {
                let urls = line.split(separator: "\t").map { String($0.trimmedWhitespace) }.filter { !$0.isEmpty }
                guard let url = urls.first else { continue }
                var new = Download.Request(url: url)
                if urls.count > 1 { new.mirrors = Array(urls.dropFirst()) }
                entries.append(Entry(line: number, new: new))
            }
        }
    }

    private mutating func readAria2Option(_ line: Substring, _ number: Int) throws(ImportError) {
        guard !entries.isEmpty else { throw ImportError(line: number, "an option comes before the first URL") }
        guard let equals = line.firstIndex(of: "=") else {
            throw ImportError(line: number, "expected an option as name=value")
        }
        let name = String(line[..<equals].trimmedWhitespace)
        let value = String(line[line.index(after: equals)...].trimmedWhitespace)
        let isKnown = try entries[entries.count - 1].new.setAria2(name, value, number)
        if !isKnown { unknown.append(Unknown(line: number, name: name)) }
    }
}

extension Download.Request {
    /// Options that say what this service does anyway, or that belong to aria2's own process.
    private static let harmless: Set<String> = [
        "continue", "always-resume", "allow-piece-length-change", "file-allocation", "min-split-size", "gid",
        "remote-time", "summary-interval", "console-log-level", "quiet",
    ]

    /// - Returns: False if the option has no counterpart.
    fileprivate mutating func setAria2(_ name: String, _ value: String, _ line: Int) throws(ImportError) -> Bool {
        switch name {
        case "out":
            let parts = value.split(separator: "/")
            filename = parts.last.map { String($0) }
            if parts.count > 1 { setFolder(parts.dropLast().joined(separator: "/")) }
        case "dir": setFolder(value)
        case "checksum":
            let parts = value.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let digest = Digest("\(parts[0].lowercased())=\(parts[1])") else {
                throw ImportError(line: line, "checksum expects sha-256=<hex>, sha-512, sha-1 or md5")
            }
            add(digest)
        case "header": try addHeader(value, line)
        case "referer": try addHeader("Referer: \(value)", line)
        case "user-agent": try addHeader("User-Agent: \(value)", line)
        case "split", "max-connection-per-server":
            guard let count = Int(value), count > 0 else { throw ImportError(line: line, "\(name) expects a number") }
            limit { $0.connections = min(min($0.connections ?? count, count), 32) }
        case "max-download-limit":
            guard let rate = Self.bytes(value) else {
                throw ImportError(line: line, "\(name) expects a speed, such as 2M")
            }
            if rate > 0 { limit { $0.rateBytesPerSecond = rate } }
        case "max-tries":
            guard let count = Int(value) else { throw ImportError(line: line, "max-tries expects a number") }
            if count > 0 { maxAttempts = count }
        case "pause": start = value == "true" ? false : nil
        case "allow-overwrite": if value == "true" { onConflict = "overwrite" }
        case "auto-file-renaming": if value == "false", onConflict == nil { onConflict = "fail" }
        case "http-user", "ftp-user": login { $0.username = value }
        case "http-passwd", "ftp-passwd": login { $0.password = value }
        case "all-proxy", "http-proxy", "https-proxy": proxy = value.isEmpty ? nil : value
        default: return Self.harmless.contains(name)
        }
        return true
    }

    /// An absolute folder is on another machine, so only what is below its root is kept.
    mutating func setFolder(_ path: String) {
        let parts = path.split(separator: "/").filter { $0 != "." }
        directory = parts.isEmpty ? nil : parts.joined(separator: "/")
    }

    mutating func addHeader(_ text: String, _ line: Int) throws(ImportError) {
        guard let colon = text.firstIndex(of: ":") else {
            throw ImportError(line: line, "a header field is expected as Name: value")
        }
        let name = String(text[..<colon].trimmedWhitespace)
        requestHeaders = (requestHeaders ?? [:]).merging(
            [name: String(text[text.index(after: colon)...].trimmedWhitespace)]
        ) { $1 }
    }

    mutating func add(_ digest: Digest) {
        var digests = expected?.digests ?? [:]
        digests[digest.algorithm.rawValue] = digest.hex
        expected = Client.Download.Expected(sizeBytes: expected?.sizeBytes, digests: digests)
    }

    mutating func limit(_ change: (inout Client.Download.Limits) -> Void) {
        var limits = limits ?? Client.Download.Limits()
        change(&limits)
        self.limits = limits
    }

    mutating func login(_ change: (inout Authentication) -> Void) {
        var authentication = authentication ?? Authentication(scheme: "basic")
        change(&authentication)
        self.authentication = authentication
    }

    /// A number of bytes with a suffix K, M or G, as aria2 and curl write it: powers of 1024.
    static func bytes(_ text: String) -> Int64? {
        let units: [Character: Int64] = ["k": 10, "m": 20, "g": 30]
        guard let last = text.lowercased().last else { return nil }
        guard let shift = units[last] else { return Int64(text) }
        guard let number = Int64(text.dropLast()), number >= 0, number < 1 << 32 else { return nil }
        return number << shift
    }
}

extension StringProtocol {
    /// Without white space at its ends.
    var trimmedWhitespace: Substring {
        let start = firstIndex { !$0.isWhitespace } ?? endIndex
        guard start < endIndex, let last = lastIndex(where: { !$0.isWhitespace }) else {
            return Substring(self[start...])
        }
        return Substring(self[start...last])
    }
}
