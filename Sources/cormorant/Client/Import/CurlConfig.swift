import Client

/// The configuration file of curl (curl(1), `--config`): one option in each line, with or without dashes, its value
/// after white space, `=` or `:`, in quotes if it has white space. `next` begins the next transfer.
extension ImportReading {
    mutating func readCurl(_ text: String) throws(ImportError) {
        var transfer = CurlTransfer()
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let number = index + 1
            guard let option = try CurlOption(line, number) else { continue }
            if option.name == "next" {
                entries += try transfer.entries()
                transfer = CurlTransfer()
            } else if try !transfer.set(option, number) {
                unknown.append(Unknown(line: number, name: option.name))
            }
        }
        entries += try transfer.entries()
    }
}

/// One option of a line.
struct CurlOption: Hashable {
    var name: String
    var value: String

    private static let short: [Character: String] = [
        "o": "output", "O": "remote-name", "H": "header", "A": "user-agent", "e": "referer", "u": "user", "x": "proxy",
        "b": "cookie", "L": "location", "C": "continue-at", "s": "silent", "S": "show-error", "f": "fail",
        "R": "remote-time", "k": "insecure", "#": "progress-bar", ":": "next",
    ]

    /// - Returns: nil for a comment or an empty line.
    init?(_ line: Substring, _ number: Int) throws(ImportError) {
        var rest = line.trimmedWhitespace
        guard let first = rest.first, first != "#" else { return nil }
        if rest.hasPrefix("--") {
            rest = rest.dropFirst(2)
        } else if rest.hasPrefix("-"), let letter = rest.dropFirst().first {
            name = Self.short[letter] ?? "-\(letter)"
            value = try Self.value(rest.dropFirst(2), number)
            return
        }
        name = String(rest.prefix { !$0.isWhitespace && $0 != "=" && $0 != ":" })
        value = try Self.value(rest.dropFirst(name.count), number)
    }

    private static func value(_ text: Substring, _ number: Int) throws(ImportError) -> String {
        var rest = text.trimmedWhitespace
        if let first = rest.first, first == "=" || first == ":" { rest = rest.dropFirst().trimmedWhitespace }
        guard rest.first == "\"" else { return String(rest.prefix { !$0.isWhitespace }) }
        var value = ""
        var isEscaped = false
        for character in rest.dropFirst() {
            if isEscaped {
                value.append(["t": "\t", "n": "\n", "r": "\r", "v": "\u{0B}"][character] ?? character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                return value
            } else {
                value.append(character)
            }
        }
        throw ImportError(line: number, "a quotation mark is not closed")
    }
}

/// The options of the transfers up to the next `next`. curl gives the outputs to the URLs in their order.
struct CurlTransfer {
    private var urls: [(line: Int, text: String)] = []
    private var outputs: [String?] = []
    private var shared = Download.Request(url: "")

    /// Options that say what this service does anyway, or how curl shows its progress.
    private static let harmless: Set<String> = [
        "remote-name-all", "remote-header-name", "location", "continue-at", "silent", "show-error", "fail",
        "fail-early", "remote-time", "progress-bar", "no-progress-meter", "create-dirs", "parallel", "parallel-max",
        "retry-connrefused", "retry-all-errors", "compressed", "globoff", "verbose", "get",
    ]

    /// - Returns: False if the option has no counterpart.
    mutating func set(_ option: CurlOption, _ line: Int) throws(ImportError) -> Bool {
        let value = option.value
        switch option.name {
        case "url": urls.append((line, value))
        case "output": outputs.append(value)
        case "remote-name": outputs.append(nil)
        case "output-dir": shared.setFolder(value)
        case "header": try shared.addHeader(value, line)
        case "user-agent": try shared.addHeader("User-Agent: \(value)", line)
        case "referer": try shared.addHeader("Referer: \(value)", line)
        case "cookie":
            guard value.contains("=") else { return false }
            try shared.addHeader("Cookie: \(value)", line)
        case "user":
            let parts = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            shared.login { login in
                login.username = String(parts[0])
                login.password = parts.count > 1 ? String(parts[1]) : nil
            }
        case "digest": shared.login { $0.scheme = "digest" }
        case "basic": shared.login { $0.scheme = "basic" }
        case "oauth2-bearer": shared.authentication = .init(scheme: "bearer", token: value)
        case "proxy": shared.proxy = value
        case "limit-rate":
            guard let rate = Download.Request.bytes(value) else {
                throw ImportError(line: line, "limit-rate expects a speed, such as 2M")
            }
            shared.limit { $0.rateBytesPerSecond = rate }
        case "max-filesize":
            guard let size = Download.Request.bytes(value) else {
                throw ImportError(line: line, "max-filesize expects a size, such as 2M")
            }
            shared.limit { $0.maxBytes = size }
        case "retry":
            guard let count = Int(value), (0..<Int.max).contains(count) else {
                throw ImportError(line: line, "retry expects a number")
            }
            shared.maxAttempts = count + 1
        case "no-clobber": shared.onConflict = "rename"
        default: return Self.harmless.contains(option.name)
        }
        return true
    }

    func entries() throws(ImportError) -> [ImportReading.Entry] {
        guard !urls.isEmpty || outputs.isEmpty else {
            throw ImportError([": an output has no url"])
        }
        return urls.enumerated().map { index, url in
            var new = shared
            new.url = url.text
            if outputs.indices.contains(index), let output = outputs[index] {
                let parts = output.split(separator: "/")
                new.filename = parts.last.map { String($0) }
                let folders = [shared.directory].compactMap(\.self) + parts.dropLast().map { String($0) }
                new.setFolder(folders.joined(separator: "/"))
            }
            return ImportReading.Entry(line: url.line, new: new)
        }
    }
}
