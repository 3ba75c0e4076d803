public import Core
import Store

extension RequestID {
    /// Makes a new id for the request of a client, usually without a system call.
    public static func next(at time: Timestamp) -> RequestID { RequestID(drawnAt: time) }
}
