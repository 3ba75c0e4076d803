import Core
import Service

@testable import API

extension FuzzTarget {
    /// The bodies of requests. The first byte chooses the operation.
    static let requestBodies = FuzzTarget(name: "request-bodies") { bytes in
        let body = Array(bytes.dropFirst())
        do {
            switch bytes.first {
            case UInt8(ascii: "d"): try checkCreated(RequestedDownload(parsing: body))
            case UInt8(ascii: "p"): _ = try DownloadPatch(parsing: body)
            case UInt8(ascii: "b"): try checkBatch(CreateBatchBody(parsing: body))
            case UInt8(ascii: "a"): try checkActions(BulkRequest(parsing: body))
            case UInt8(ascii: "s"): _ = try SessionSettingsBody(parsing: body)
            case UInt8(ascii: "q"): _ = try SessionPatch(parsing: body)
            case UInt8(ascii: "w"): _ = try CreateWebhookBody(parsing: body)
            case UInt8(ascii: "v"): _ = try PatchWebhookBody(parsing: body)
            case UInt8(ascii: "l"): _ = try LimitsSettingsBody(parsing: body)
            case UInt8(ascii: "m"): _ = try PatchLimitsBody(parsing: body)
            case UInt8(ascii: "h"): _ = try PatchHostBody(parsing: body)
            case UInt8(ascii: "r"): _ = try RecoverBody(parsing: body)
            case UInt8(ascii: "k"): _ = try RotateSecretBody(parsing: body)
            case UInt8(ascii: "t"): _ = try NewTicketBody(parsing: body)
            default: break
            }
        } catch let error as BodyError {
            try checkRefusal(error)
        }
    }

    private static func checkRefusal(_ error: BodyError) throws {
        if case .violations(let violations) = error {
            try check((1...ViolationList.limit).contains(violations.count), "a refusal has 1 to 20 violations")
        }
        _ = try JSONValue(parsing: ProblemBody(error).encoded())
    }

    private static func checkBatch(_ body: CreateBatchBody) throws {
        try check((1...CreateBatchBody.maximumItems).contains(body.items.count), "a batch has 1 to 1000 items")
        for item in body.items {
            switch item {
            case .download(let requested): try checkCreated(requested)
            case .fault(let error): try checkRefusal(error)
            }
        }
    }

    private static func checkActions(_ request: BulkRequest) throws {
        let filter = request.filter
        let body = Array(#"{"action":"\#(request.action.rawValue)","filter":\#(filter.canonicalText)}"#.utf8)
        let again = try BulkRequest(parsing: body).filter
        try check(again.canonicalText == filter.canonicalText, "a filter that is written is read again")
    }

    /// An accepted download can be shown, and what is shown of its request is accepted again.
    private static func checkCreated(_ requested: RequestedDownload) throws {
        let request = requested.request
        // A URL of another scheme is refused later, with its own problem.
        guard request.url.isComplete else { return }
        try check(request.filename.map { (1...255).contains($0.value.utf8.count) } ?? true, "a name has a limit")
        let zero = Timestamp(milliseconds: 0)
        let times = Download.Times(createdAt: zero, deadlineAt: zero)
        let download = Download(id: DownloadID(first: zero), request: request, state: .queued, times: times)
        guard
            case .object(let shown) = try JSONValue(
                parsing: DownloadBody(download: download, fileAvailable: true).encoded()
            )
        else { throw BrokenProperty(description: "a download is shown as an object") }
        let names = Set(RequestMember.all.map(\.name)).subtracting(["deadline_at", "callback_url", "refresh_url"])
            .union(["expected", "expires_at", "keep_file_seconds", "labels", "metadata"])
        var members = shown.filter { names.contains($0.name) && $0.name != "mirrors" }
        members.append(JSONValue.Member("url", .string("http://a.example/")))
        var again = try RequestedDownload(parsing: Array(JSONValue.object(members).canonical.utf8)).request
        // What shows its secrets, or something else, only in part.
        (again.url, again.mirrors, again.refreshURL) = (request.url, request.mirrors, request.refreshURL)
        (again.deadline, again.callbackURL) = (request.deadline, request.callbackURL)
        try checkSame(request, again, "a request that is shown is read again")
    }
}
