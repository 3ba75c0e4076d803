import Core
import Curl

/// The origins of a world: files that change now and then, behind servers that fail as the seed wants.
final class Origin {
    /// How a life's origins behave.
    struct Mix {
        /// One request in so many fails; 0 for none.
        var failures = 0
        /// After one request in so many there is a new version of the file; 0 for none.
        var changes = 0

        /// A file that is always refused; nil for none.
        var deadFile: Int?

        init(hasLastingFaults: Bool) {
            failures = [0, 3, 6, 12][World.current.choices.number(below: 4, .mix)]
            changes = [0, 10, 40][World.current.choices.number(below: 3, .mix)]
            if hasLastingFaults { deadFile = World.current.choices.number(below: Origin.fileCount, .mix) }
        }
    }

    private let mix: Mix
    private var versions: [Int: Int] = [:]
    /// From then on nothing fails.
    var isKind = false
    private(set) var requestCount = 0
    private(set) var failureCount = 0

    init(_ mix: Mix) { self.mix = mix }

    static let fileCount = 7
    /// A file that takes several windows, for lives in which every byte takes its time.
    static let largeFile = 7
    private static let lagging = "mirror.example"

    /// Whether every request is answered, always with the same file.
    var isReliable: Bool { mix.failures == 0 && mix.changes == 0 && mix.deadFile == nil }

    /// Whether a file can never be fetched.
    func isDead(_ file: Int) -> Bool { file == mix.deadFile }

    /// - Parameter number: Tells the downloads of a file apart.
    static func url(_ file: Int, number: Int) -> String { "http://\(host(file))/\(file)?d=\(number)" }

    /// A URL that redirects to ``url(_:number:)``.
    static func redirectURL(_ file: Int, number: Int) -> String { "http://\(host(file))/to/\(file)?d=\(number)" }

    /// A URL of the version before.
    static func mirrorURL(_ file: Int, number: Int) -> String { "http://\(lagging)/\(file)?d=\(number)" }

    private static func host(_ file: Int) -> String { "\(["a", "b"][file % 2]).example" }

    /// The file that a URL leads to.
    static func file(of url: DownloadURL) -> Int? { url.path.split(separator: "/").last.flatMap { Int($0) } }

    /// The number of the download that a URL was made for.
    static func number(of url: DownloadURL) -> Int? {
        url.text.split(separator: "=", maxSplits: 1).dropFirst().first.flatMap { Int($0) }
    }

    /// What a file was and is.
    func contents(of file: Int) -> [Content] { (0...versions[file, default: 0]).map { Self.content(file, $0) } }

    private static func content(_ file: Int, _ version: Int) -> Content {
        let sizes = [60_000, 5_000, 180_000, 40_000, 1, 120_000, 0, 500_000]
        let size = sizes[file % sizes.count]
        return Content(file: file, version: version, size: size == 0 ? 0 : size + version * 13)
    }

    func answer(to request: TransferRequest) -> Answer {
        requestCount += 1
        guard let file = Self.file(of: request.url) else { return Answer(Self.page(404)) }
        let isLagging = request.url.host == Self.lagging
        let content = Self.content(file, max(versions[file, default: 0] - (isLagging ? 1 : 0), 0))
        // The service tries again after some of them, and not after others.
        if isDead(file) { return Answer(Self.page(file % 2 == 0 ? 500 : 404)) }
        if request.url.path.hasPrefix("/to/"), let number = Self.number(of: request.url) {
            return Answer(Self.page(302, HeaderField("Location", Self.url(file, number: number))))
        }
        defer { change(file) }
        if mix.failures > 0, !isKind, World.current.choices.chance(oneIn: mix.failures, .network) {
            failureCount += 1
            return fail(request, content)
        }
        return serve(request, content)
    }

    /// Some servers have weak tags, and some have none.
    private static func tag(of content: Content) -> String? {
        let tag = "\"\(content.file)-\(content.version)\""
        return [tag, tag, tag, "W/\(tag)", tag, nil, tag][content.file % fileCount]
    }

    private func change(_ file: Int) {
        guard mix.changes > 0, !isKind, World.current.choices.chance(oneIn: mix.changes, .network) else { return }
        versions[file, default: 0] += 1
        World.current.note("file \(file) is of version \(versions[file, default: 0])")
    }

    /// A page of a server that asks for something, in place of the file.
    private func page() -> Answer {
        let body = Answer.Body(sent: 900)
        let fields = [HeaderField("Content-Type", "text/html"), HeaderField("Content-Length", "\(body.sent)")]
        var answer = Answer(ResponseHead(status: 200, version: .http1_1, fields: fields, contentLength: 900))
        answer.body = body
        return answer
    }

    /// - Parameter shift: By how many bytes the range differs from the one that was asked for.
    private func serve(_ request: TransferRequest, _ content: Content, shiftedBy shift: Int = 0) -> Answer {
        let tag = Self.tag(of: content)
        var (status, first, end) = (200, 0, content.size)
        let condition = request.headers.first { $0.isNamed("If-Range") }?.value
        if let range = request.range, condition == nil || condition == tag {
            switch range {
            case .bytes(let bytes): (first, end) = (Int(bytes.lowerBound), min(Int(bytes.upperBound) + 1, content.size))
            case .from(let byte): first = Int(byte)
            }
            status = first < content.size ? 206 : 416
            if shift > 0, first + shift < end { first += shift }
        }
        World.current.note("\(status) \(request.url.text) \(first)..<\(end) of version \(content.version)")
        var fields = (tag.map { [HeaderField("ETag", $0)] } ?? []) + [HeaderField("Accept-Ranges", "bytes")]
        var body = Answer.Body(content: content, start: first, sent: end - first)
        switch status {
        case 206: fields.append(HeaderField("Content-Range", "bytes \(first)-\(end - 1)/\(content.size)"))
        case 416:
            fields.append(HeaderField("Content-Range", "bytes */\(content.size)"))
            body = Answer.Body()
        default: break
        }
        fields.append(HeaderField("Content-Length", "\(body.sent)"))
        var answer = Answer(
            ResponseHead(status: status, version: .http1_1, fields: fields, contentLength: Int64(body.sent))
        )
        answer.body = body
        return answer
    }

    /// One of the ways in which origins fail.
    private func fail(_ request: TransferRequest, _ content: Content) -> Answer {
        // The last three are about ranges.
        let kind = World.current.choices.number(below: request.range == nil ? 8 : 11, .network)
        World.current.note("fault \(kind) of \(request.url.text)")
        World.current.count("origin fails: \(kind)")
        switch kind {
        case 0: return Answer(Self.page(503))
        case 1: return Answer(Self.page(429, HeaderField("Retry-After", ["60", "2", "900"][requestCount % 3])))
        case 2: return Answer(CurlError(.curl(56), message: "reset"))
        case 3: return Answer(CurlError(.curl(7), message: "refused"))
        case 4: return Answer(Self.page(500))
        case 5: return cut(serve(request, content), CurlError(.curl(56), message: "reset"), silence: 0)
        case 6: return cut(serve(request, content), CurlError(.curl(18), message: "short"), silence: 0)
        case 7: return cut(serve(request, content), CurlError(.curl(28), message: "silence"), silence: 60_000)
        case 8: return serve(request, content, shiftedBy: 1)
        case 9: return page()
        // What was asked for is ignored.
        default: return serve(TransferRequest(to: request.url) ?? request, content)
        }
    }

    private func cut(_ answer: Answer, _ error: CurlError, silence: Int) -> Answer {
        guard answer.body.sent > 0 else { return answer }
        var answer = answer
        answer.body.sent = World.current.choices.number(below: answer.body.sent, .network)
        answer.body.error = error
        answer.silence = silence
        return answer
    }

    private static func page(_ status: Int, _ field: HeaderField? = nil) -> ResponseHead {
        let length = HeaderField("Content-Length", "0")
        return ResponseHead(
            status: status,
            version: .http1_1,
            fields: [length] + (field.map { [$0] } ?? []),
            contentLength: 0
        )
    }
}
