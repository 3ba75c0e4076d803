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

    public static func page(_ status: Int) -> Behaviour { Behaviour { $0.answer = .page(status: status) } }

    /// A Metalink document (RFC 5854).
    public static func metalink(_ text: String) -> Behaviour {
        Behaviour {
            $0.answer = .document(text)
            $0.contentType = "application/metalink4+xml"
        }
    }

    /// - Parameter retryAfter: Seconds or a date, as it stands in the field.
    public static func unavailable(_ status: Int = 503, retryAfter: String) -> Behaviour {
        Behaviour {
            $0.answer = .page(status: status)
            $0.extraFields = ["Retry-After: \(retryAfter)"]
        }
    }

    public static func redirect(_ status: Int = 302, to target: String) -> Behaviour {
        Behaviour { $0.answer = .redirect(status: status, to: target) }
    }

    /// Says that its bytes are gzip, which they are not: who decodes them fails.
    public static var claimingGzip: Behaviour { Behaviour { $0.extraFields = ["Content-Encoding: gzip"] } }

    public static func size(_ size: Int64) -> Behaviour { Behaviour { $0.size = size } }

    public static func fields(_ fields: [String]) -> Behaviour { Behaviour { $0.extraFields = fields } }

    public static func interimResponses(_ count: Int) -> Behaviour { Behaviour { $0.interimResponseCount = count } }
}
