internal import CMicroHTTPD

/// A suspended connection in the hands of another thread, which may do one thing with it: resume it, once.
struct SuspendedConnection: @unchecked Sendable {
    // @unchecked: the manual's "Flow control" lets MHD_resume_connection() be called from any thread, and a suspended
    // connection is not freed before it.
    private let connection: OpaquePointer

    init(_ connection: OpaquePointer) { self.connection = connection }

    func resume() { MHD_resume_connection(connection) }
}
