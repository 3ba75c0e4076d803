import CLibcurl
import Linux

/// One `CURLM *`: the transfers of a loop and their shared connections.
///
/// Socket events drive it (https://curl.se/libcurl/c/libcurl-multi.html): libcurl names the sockets that it waits for,
/// and is called for the ready ones. The cost of an iteration depends on the number of ready sockets, not of transfers.
///
/// It is not `Sendable`: only the loop's thread uses it, and frees it when no transfer is left.
final class MultiHandle {
    let raw: UnsafeMutableRawPointer
    private let poll: SocketPoll
    private var watched: RestingSockets
    /// Is notified of each socket that libcurl closes. It must outlive `raw`, because libcurl closes the last sockets
    /// with `raw`.
    private let sockets: ConnectionCache
    /// When libcurl must be called even if no socket is ready.
    private var timer: ContinuousClock.Instant?

    /// The most connections that stay open between transfers. By default libcurl keeps four times as many as it has
    /// transfers at that instant, so it closes connections that the next small file needs. ``ConnectionCache`` closes
    /// those that are idle for too long.
    private static let maxConnections = 256

    init(poll: SocketPoll, _ sockets: ConnectionCache) {
        CurlLibrary.setUp()
        guard let raw = curl_multi_init() else { preconditionFailure("curl_multi_init() found no memory") }
        self.raw = raw
        self.poll = poll
        watched = RestingSockets(poll: poll)
        self.sockets = sockets
        let me = Unmanaged.passUnretained(self).toOpaque()
        shim_multi_setopt_pointer(raw, CURLMOPT_SOCKETDATA, me)
        shim_multi_setopt_socket(raw, socketChanged)
        shim_multi_setopt_pointer(raw, CURLMOPT_TIMERDATA, me)
        shim_multi_setopt_timer(raw, timerChanged)
        shim_multi_setopt_long(raw, CURLMOPT_MAXCONNECTS, Self.maxConnections)
        setResolverOptions()
    }

    deinit {
        // Connections that libcurl closes now must not be reported to this object any more.
        shim_multi_setopt_socket(raw, nil)
        shim_multi_setopt_timer(raw, nil)
        curl_multi_cleanup(raw)
    }

    /// From version 8.20, the multi handle owns the threads that resolve names, 20 by default, and each name may use
    /// two. A dozen names whose servers are silent would block all other look-ups, and freeing the handle would wait
    /// for them. Older versions refuse both options: there, each look-up has its own thread.
    private func setResolverOptions() {
        shim_multi_setopt_long(raw, shim_multi_resolve_threads_max, 256)
        shim_multi_setopt_long(raw, shim_multi_quick_exit, 1)
    }

    func add(_ handle: EasyHandle) {
        let code = curl_multi_add_handle(raw, handle.raw)
        precondition(code == CURLM_OK, "curl_multi_add_handle failed: \(code)")
    }

    /// Removes a transfer. libcurl closes its connection if the response was not complete.
    func remove(_ handle: EasyHandle) {
        curl_multi_remove_handle(raw, handle.raw)
    }

    /// Waits for a ready socket, a wake-up or the timeout, and processes the ready transfers.
    ///
    /// - Parameters:
    ///   - longest: The timeout, in milliseconds.
    ///   - mayRest: Called after each ready socket; whether it may rest (``RestingSockets``).
    func poll(longest: Int32, mayRest: () -> Bool) {
        poll.wait(milliseconds: min(longest, untilTimer)) { socket, readiness in
            act(socket, readiness.selection)
            if mayRest() { watched.rest(socket) }
        }
        guard let timer, timer <= .now else { return }
        self.timer = nil
        act(CURL_SOCKET_BAD, 0)
    }

    /// Reads again from the sockets that rested long enough. Called once for each tick of the loop.
    func wakeRestingSockets() { watched.beginTurn() }

    /// Processes every transfer, even if its socket is not ready.
    func performAll() {
        var runningCount: Int32 = 0
        let code = curl_multi_perform(raw, &runningCount)
        precondition(code == CURLM_OK, "curl_multi_perform failed: \(code)")
    }

    /// Removes the next transfer that has ended, and returns libcurl's result.
    func nextEnded() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var queuedCount: Int32 = 0
        while let message = curl_multi_info_read(raw, &queuedCount) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            // The message becomes invalid when its handle is removed.
            return (easy, message.pointee.data.result)
        }
        return nil
    }

    private func act(_ socket: curl_socket_t, _ selection: Int32) {
        var runningCount: Int32 = 0
        let code = curl_multi_socket_action(raw, socket, selection, &runningCount)
        precondition(code == CURLM_OK, "curl_multi_socket_action failed: \(code)")
    }

    /// The time until the timer, in whole milliseconds. It is rounded up, because libcurl would set a timer that fired
    /// too early again.
    private var untilTimer: Int32 {
        guard let timer else { return .max }
        let rest = timer - .now
        guard rest > .zero else { return 0 }
        let (seconds, attoseconds) = rest.components
        return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    fileprivate func watch(_ socket: Int32, _ what: Int32) {
        var readiness: SocketPoll.Readiness = []
        if what & CURL_POLL_IN != 0 { readiness.insert(.reading) }
        if what & CURL_POLL_OUT != 0 { readiness.insert(.writing) }
        watched.watch(socket, for: readiness)
    }

    fileprivate func setTimer(milliseconds: Int) {
        timer = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }
}

extension SocketPoll.Readiness {
    fileprivate var selection: Int32 {
        var selection: Int32 = 0
        if contains(.reading) { selection |= CURL_CSELECT_IN }
        if contains(.writing) { selection |= CURL_CSELECT_OUT }
        if !isDisjoint(with: .failure) { selection |= CURL_CSELECT_ERR }
        return selection
    }
}

/// `CURLMOPT_SOCKETFUNCTION`.
private func socketChanged(
    _ easy: UnsafeMutableRawPointer?,
    _ socket: curl_socket_t,
    _ what: Int32,
    _ context: UnsafeMutableRawPointer,
    _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue().watch(socket, what)
    return 0
}

/// `CURLMOPT_TIMERFUNCTION`.
private func timerChanged(
    _ multi: UnsafeMutableRawPointer,
    _ milliseconds: Int,
    _ context: UnsafeMutableRawPointer
) -> Int32 {
    Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds: milliseconds)
    return 0
}
