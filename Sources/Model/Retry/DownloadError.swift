public struct DownloadError: Error, Hashable, Sendable {
    public enum Code: String, CaseIterable, Sendable { case timeout, deadlineExceeded = "deadline_exceeded", internalError = "internal" }
    public let code: Code
    public let message: String
    public let httpStatus: Int?
    public let transportCode: Int?
    public init(code: Code, message: String, httpStatus: Int? = nil, transportCode: Int? = nil) { self.code = code; self.message = message; self.httpStatus = httpStatus; self.transportCode = transportCode }
}
