/// What becomes of a request, judged by its head.
public enum Verdict: Sendable {
    /// Answered at once. Where a body was to follow, none of it is read, and the connection is closed.
    case refused(ServerResponse)
    /// Read to its end, then handled. A body of more than `maxBodyBytes` is refused with 413.
    case admitted(maxBodyBytes: Int, HTTPServer.Handler)
}
