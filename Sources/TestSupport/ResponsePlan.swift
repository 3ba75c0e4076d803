/// What an ``Origin`` will send: computed from values, sent by ``OriginConnection``.
struct ResponsePlan {
    enum Body {
        case none
        case content(Content, Range<Int64>, before: String, after: String)
        case text(String)
        case bytes([UInt8])

        var byteCount: Int64 {
            switch self {
            case .none: 0
            case .content(_, let range, let before, let after):
                Int64(range.count + before.utf8.count + after.utf8.count)
            case .text(let text): Int64(text.utf8.count)
            case .bytes(let bytes): Int64(bytes.count)
            }
        }
    }

    var status = 200
    var fields: [String] = []
    var body = Body.none

    /// - Parameter number: Of the request at its script, from 0.
    init(_ behaviour: Behaviour, _ request: RecordedRequest, _ content: Content, number: Int) {
        switch behaviour.answer {
        case .page(let status):
            self.status = status
            if status == 204 || status == 304 { break }
            fields = ["Content-Type: text/html"]
            body = .text("<html><body>this is not the file: \(status)</body></html>\n")
        case .document(let text):
            fields = ["Content-Type: \(behaviour.contentType)"]
            body = .text(text)
        case .bytes(let bytes), .raw(let bytes):
            fields = ["Content-Type: \(behaviour.contentType)"]
            body = .bytes(bytes)
        case .redirect(let status, let target):
            self.status = status
            fields = ["Location: \(target)"]
            body = .text("<html><body>it is elsewhere</body></html>\n")
        case .content:
            let version =
                switch behaviour.subject {
                case .version(let version): version
                case .newVersionEachTime: number
                }
            let content = content.at(version: version).resized(to: behaviour.size ?? content.size)
            planContent(behaviour, request, content)
            fields += validatorFields(behaviour.validators, content, number: number)
        }
        fields += behaviour.extraFields
    }

    private mutating func planContent(_ behaviour: Behaviour, _ request: RecordedRequest, _ content: Content) {
        body = .content(content, 0..<content.size, before: "", after: "")
        fields = ["Content-Type: \(behaviour.contentType)", "Accept-Ranges: bytes"]
        let isAsked = request.value(of: "range") != nil || behaviour.ranges == .unasked
        guard isAsked, behaviour.ranges != .ignored else { return }
        if behaviour.honoursIfRange, let condition = request.value(of: "if-range") {
            let own = if case .etag(let text) = behaviour.validators { text } else { content.etag }
            let isTag = behaviour.knownIfRange.contains(.tag) && condition == own
            guard isTag || behaviour.knownIfRange.contains(.date) && condition == content.lastModified else { return }
        }
        if case .unsatisfiable(let label) = behaviour.ranges {
            planUnsatisfiable(label)
        } else if let range = request.range(within: content.size) {
            planPart(behaviour.ranges, content, range)
        } else if behaviour.ranges == .unasked {
            planPart(.honoured, content, 0..<content.size)
        } else {
            planUnsatisfiable("bytes */\(content.size)")
        }
    }

    private mutating func planUnsatisfiable(_ label: String?) {
        status = 416
        body = .none
        fields = label.map { ["Content-Range: \($0)"] } ?? []
    }

    private mutating func planPart(_ ranges: Behaviour.Ranges, _ content: Content, _ asked: Range<Int64>) {
        var range = asked
        var total: Int64? = content.size
        switch ranges {
        case .shifted(let distance):
            let first = min(max(asked.lowerBound + distance, 0), content.size - 1)
            range = first..<max(first + 1, asked.upperBound)
        case .shortened(let count): range = asked.lowerBound..<min(asked.upperBound, asked.lowerBound + count)
        case .wholeAsPartial: range = 0..<content.size
        case .totalled(let stated): total = stated
        default: break
        }
        status = 206
        body = .content(content, range, before: "", after: "")
        let label = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total.map { "\($0)" } ?? "*")"
        switch ranges {
        case .labelled(let stated): fields += stated.map { ["Content-Range: \($0)"] } ?? []
        case .multipart:
            fields = ["Content-Type: multipart/byteranges; boundary=PART"]
            body = .content(
                content,
                range,
                before: "--PART\r\nContent-Range: \(label)\r\n\r\n",
                after: "\r\n--PART--\r\n"
            )
        default: fields.append("Content-Range: \(label)")
        }
    }

    private func validatorFields(_ validators: Behaviour.Validators, _ content: Content, number: Int) -> [String] {
        let etag = "ETag: \(content.etag)"
        let date = "Last-Modified: \(content.lastModified)"
        switch validators {
        case .strong: return [etag, date]
        case .weak: return ["ETag: W/\(content.etag)", date]
        case .absent: return []
        case .etagOnly: return [etag]
        case .lastModifiedOnly: return [date]
        case .omittedFromPartial: return status == 206 ? [] : [etag, date]
        case .unstable: return ["ETag: \"mirror-\(number)\""]
        case .etag(let text): return ["ETag: \(text)"]
        }
    }
}
