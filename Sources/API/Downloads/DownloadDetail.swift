import Core
import HTTPServer

/// The members of a download that a response contains.
enum DownloadDetail: Sendable {
    case full
    case summary
    /// Some of the members, in the order of the resource.
    case members(MemberSelection)

    static let parameters = ["fields", "view"]

    /// Parses `fields` and `view`.
    init(_ query: Query) throws(Problem) {
        switch (query["view"], query.list("fields")) {
        case (nil, nil), ("full", nil): self = .full
        case ("summary", nil): self = .summary
        // Some generated clients send the default beside other parameters.
        case (nil, let names?), ("full", let names?):
            for name in names where !DownloadBody.memberNames.contains(name) {
                throw query.unknown("fields", name, of: DownloadBody.memberNames)
            }
            self = .members(MemberSelection(names))
        case (_?, _?):
            throw query.refusal("fields", "Expected either 'fields' or 'view', not both.")
        case (let word?, nil):
            throw query.unknown("view", word, of: ["full", "summary"])
        }
    }

    /// The query parameter that selects it; nil for the default.
    var parameter: String? {
        switch self {
        case .full: nil
        case .summary: "view=summary"
        case .members(let selection): "fields=\(selection.names.joined(separator: ","))"
        }
    }
}

/// A download with the requested members.
struct DetailedDownload: Resource {
    static let usualLength = 1024

    let body: DownloadBody
    let detail: DownloadDetail

    func write(to writer: inout JSONWriter) {
        switch detail {
        case .full: body.write(to: &writer)
        case .summary: body.writeSummary(to: &writer)
        case .members(let selection): writer.raw(selection.apply(to: body.encoded()))
        }
    }
}

extension DownloadBody {
    /// The names of the resource's members, in their order.
    static let memberNames: [String] = {
        let time = Timestamp(milliseconds: 0)
        let download = Download(
            id: DownloadID(first: time),
            request: DownloadRequest(url: .blank),
            state: .queued,
            times: Download.Times(createdAt: time, deadlineAt: time)
        )
        let body = DownloadBody(download: download, fileAvailable: false)
        guard case .object(let members) = try? JSONValue(parsing: body.encoded()) else {
            preconditionFailure("a download is an object")
        }
        return members.map(\.name)
    }()

    /// Writes the members that a table shows. They are few, so that a page of a long list is short.
    func writeSummary(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", download.id.text)
            writer.member("counters") { $0.member("revision", download.revision) }
            writer.member("name", download.name)
            writer.member("state", download.state.rawValue)
            writer.member("phase", phase?.rawValue)
            writer.member("waiting_for", waitingFor)
            writer.member("session", download.request.session?.text)
            writer.member("priority", download.request.priority.value)
            writer.member("progress") { writer in
                writer.member("received_bytes", receivedBytes)
                writer.member("total_bytes", liveProgress?.reading.totalBytes ?? download.progress.totalBytes)
                writer.member("bytes_per_second", liveProgress?.bytesPerSecond)
                writer.member("eta_seconds", liveProgress?.etaSeconds)
            }
            writer.name("error")
            if let failure = download.error {
                writer.object { $0.member("code", failure.error.code.rawValue) }
            } else {
                writer.null()
            }
            writer.member("created_at", download.times.createdAt)
            writer.member("finished_at", download.times.finishedAt)
        }
    }
}

/// Some of the members of an object.
struct MemberSelection: Sendable {
    let names: [String]
    private let bytes: Set<[UInt8]>

    init(_ names: [String]) {
        self.names = names
        bytes = Set(names.map { Array($0.utf8) })
    }

    /// Copies the selected members of an object that ``JSONWriter`` wrote: there is no white space between its parts.
    func apply(to object: [UInt8]) -> [UInt8] {
        var result = [UInt8(ascii: "{")]
        var index = 1
        while index < object.count, object[index] == UInt8(ascii: "\"") {
            let start = index
            let nameEnd = Self.endOfString(object, from: index)
            index = Self.endOfValue(object, from: nameEnd + 1)
            if bytes.contains(Array(object[(start + 1)..<(nameEnd - 1)])) {
                if result.count > 1 { result.append(UInt8(ascii: ",")) }
                result += object[start..<index]
            }
            // The comma.
            index += 1
        }
        result.append(UInt8(ascii: "}"))
        return result
    }

    /// - Parameter start: The opening quotation mark.
    /// - Returns: The index after the closing one.
    private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index + 1
    }

    private static func endOfValue(_ bytes: [UInt8], from start: Int) -> Int {
        var (index, depth) = (start, 0)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index = endOfString(bytes, from: index)
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return index }
                depth -= 1
            case UInt8(ascii: ",") where depth == 0: return index
            default: break
            }
            index += 1
        }
        return index
    }
}
