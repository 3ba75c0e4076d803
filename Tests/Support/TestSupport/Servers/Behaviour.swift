/// How an ``Origin`` answers one request. As it is made, it is a good server; each member spoils one thing.
public struct Behaviour: Sendable {
    public enum Subject: Hashable, Sendable {
        case version(Int)
        /// Another version, with its own validators, at each request.
        case newVersionEachTime
    }

    public enum Response: Hashable, Sendable {
        /// The content, whole or in part.
        case content
        /// This status with a page of HTML where it may have a body.
        case page(status: Int)
        /// This text in place of the content, as the behaviour's content type.
        case document(String)
        /// These bytes in place of the content, whatever is asked for.
        case bytes([UInt8])
        /// To a path or a whole URL.
        case redirect(status: Int, to: String)
        /// These bytes as the whole response, its head among them, and then the end of the connection; over HTTP/1.1
        /// alone.
        case raw([UInt8])
    }

    /// What a condition in `If-Range` may be.
    public enum IfRangeForm: Hashable, Sendable {
        case tag, date
    }

    public enum Ranges: Hashable, Sendable {
        case honoured
        /// 200 and the whole content.
        case ignored
        /// Other bytes than asked, with a `Content-Range` that says so.
        case shifted(by: Int64)
        /// At most so many bytes, with a `Content-Range` that says so.
        case shortened(to: Int64)
        /// The bytes asked for, under this `Content-Range`, or under none.
        case labelled(String?)
        /// The bytes asked for, out of this total; nil is `*`.
        case totalled(Int64?)
        /// The whole content as a 206.
        case wholeAsPartial
        /// One part of `multipart/byteranges`.
        case multipart
        /// 206 even if no range was asked for.
        case unasked
        /// 416 with this `Content-Range`, or with none.
        case unsatisfiable(String?)
    }

    public enum Validators: Hashable, Sendable {
        case strong
        case weak
        case absent
        case etagOnly
        case lastModifiedOnly
        /// Sent in a 200 and missing in a 206.
        case omittedFromPartial
        /// Another ETag at each request, for the same bytes.
        case unstable
        /// This text as `ETag`, whatever it is.
        case etag(String)
    }

    public enum Framing: Hashable, Sendable {
        case contentLength
        /// A `Content-Length` that differs from the body by so many bytes.
        case wrongContentLength(by: Int64)
        case chunked
        case closeDelimited
    }

    public enum Close: Hashable, Sendable {
        case fin
        case reset
    }

    public enum BodyEnd: Hashable, Sendable {
        case complete
        /// The connection ends after so many bytes of body.
        case cut(after: Int64, by: Close)
        /// The connection ends before a byte of the response.
        case closedAtOnce(by: Close)
        /// The connection ends after so many bytes of the head; below zero, so many before its end.
        case cutInHead(at: Int, by: Close)
        /// After so many bytes of body this text is sent as it stands, outside any chunk, and the connection ends.
        case spoilt(after: Int64, text: String)
        /// After so many bytes of body comes a record that was damaged on its way, and the connection ends; over TLS.
        case damaged(after: Int64)
    }

    /// What goes wrong with a stream over HTTP/2 alone; the codes are those of RFC 9113, section 7.
    public enum HTTP2Fault: Hashable, Sendable {
        /// The stream is reset after so many bytes of body; below zero, in place of an answer.
        case reset(UInt32, after: Int64)
        /// The connection is given up, and the request is said not to have been looked at.
        case goAway(UInt32)
    }

    public enum Pace: Sendable {
        case full
        /// Nothing is sent until the signal is fired.
        case stallBeforeHead(until: Signal)
        /// So many bytes of body, and the others when the signal is fired.
        case stall(after: Int64, until: Signal)
        case drip(byteCount: Int, every: Duration)
    }

    public var subject = Subject.version(0)
    /// Another size than the content's, with the same validators and the same bytes as far as both reach.
    public var size: Int64?
    public var response = Response.content
    public var ranges = Ranges.honoured
    public var honoursIfRange = true
    /// The forms of `If-Range` that it knows; a condition of another form never holds.
    public var knownIfRange: Set<IfRangeForm> = [.tag, .date]
    public var validators = Validators.strong
    public var framing = Framing.contentLength
    public var contentType = "application/octet-stream"
    public var ending = BodyEnd.complete
    public var pace = Pace.full
    /// Sent before the response, as `103`.
    public var interimResponseCount = 0
    /// The time before each of them; then they are `102`, without fields.
    public var interimPause: Duration?
    /// Sent in each of these.
    public var interimFields: [String] = []
    /// Sent right after the status line, before every other field.
    public var leadingFields: [String] = []
    /// Sent besides those that the answer needs.
    public var extraFields: [String] = []
    /// Sent after those that frame the body.
    public var lastFields: [String] = []
    /// Sent right after the last chunk, outside the body.
    public var surplus = ""
    public var http2Fault: HTTP2Fault?
    /// Over HTTP/2: nothing is answered before so many requests wait for it on the connection.
    public var responsesTogether = 0
    public var keepsConnection = true
    /// Whether TLS is told of the end of a connection after a whole response.
    public var sendsCloseNotify = true

    public init() {}

    /// A good server, with changes.
    public init(_ change: (inout Behaviour) -> Void) {
        change(&self)
    }
}

extension Behaviour {
    public static var good: Behaviour { Behaviour() }

    public static func ranges(_ ranges: Ranges) -> Behaviour { Behaviour { $0.ranges = ranges } }

    public static func validators(_ validators: Validators) -> Behaviour { Behaviour { $0.validators = validators } }

    public static func framing(_ framing: Framing) -> Behaviour { Behaviour { $0.framing = framing } }

    public static func pace(_ pace: Pace) -> Behaviour { Behaviour { $0.pace = pace } }

    public static func version(_ version: Int) -> Behaviour { Behaviour { $0.subject = .version(version) } }

    public static func dropping(after byteCount: Int64, by close: Close = .fin) -> Behaviour {
        Behaviour { $0.ending = .cut(after: byteCount, by: close) }
    }

    /// In chunks, the next of which announces its size as `text`.
    public static func chunks(after byteCount: Int64, then text: String) -> Behaviour {
        Behaviour {
            $0.framing = .chunked
            $0.ending = .spoilt(after: byteCount, text: text)
        }
    }

    public static func page(_ status: Int) -> Behaviour { Behaviour { $0.response = .page(status: status) } }

    /// A Metalink document (RFC 5854).
    public static func metalink(_ text: String) -> Behaviour {
        Behaviour {
            $0.response = .document(text)
            $0.contentType = "application/metalink4+xml"
        }
    }

    /// - Parameter retryAfter: Seconds or a date, as it stands in the field.
    public static func unavailable(_ status: Int = 503, retryAfter: String) -> Behaviour {
        Behaviour {
            $0.response = .page(status: status)
            $0.extraFields = ["Retry-After: \(retryAfter)"]
        }
    }

    public static func redirect(_ status: Int = 302, to target: String) -> Behaviour {
        Behaviour { $0.response = .redirect(status: status, to: target) }
    }

    /// Says that its bytes are gzip, which they are not: who decodes them fails.
    public static var claimingGzip: Behaviour { Behaviour { $0.extraFields = ["Content-Encoding: gzip"] } }

    public static func size(_ size: Int64) -> Behaviour { Behaviour { $0.size = size } }

    public static func fields(_ fields: [String]) -> Behaviour { Behaviour { $0.extraFields = fields } }

    public static func interimResponses(_ count: Int) -> Behaviour { Behaviour { $0.interimResponseCount = count } }
}
