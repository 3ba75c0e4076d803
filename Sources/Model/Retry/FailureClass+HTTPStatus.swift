extension FailureClass {
    /// The class of a 4xx or 5xx status (RFC 9110, 15.5 and 15.6; RFC 6585; 520 to 524 are those of CDNs whose own
    /// origin failed).
    public init(httpStatus: Int) {
        self =
            switch httpStatus {
            case 401, 403, 407: .credentials
            case 404: .transient(.notFound)
            case 408, 425, 429, 500, 502, 503, 504, 520...524: .transient(.untilGivenUp)
            case 511: .transient(.middlebox)
            case 500...599: .transient(.tries(2))
            default: .permanent
            }
    }
}

extension DownloadError {
    /// The error of a response with a 4xx or 5xx status.
    public init(httpStatus: Int) {
        let code: Code =
            switch httpStatus {
            case 401, 403, 407: .authRequired
            case 500...599: .httpServerError
            default: .httpClientError
            }
        self.init(code, message: "The origin answered with status \(httpStatus).", httpStatus: httpStatus)
    }
}
