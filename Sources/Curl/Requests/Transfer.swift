import CLibcurl

/// One transfer of a ``TransferLoop``, from its request to its outcome.
///
/// It is not `Sendable`: only the loop's thread uses it, and libcurl's callbacks run there too. libcurl holds a pointer
/// to it while ``handle`` is set, and the loop's table keeps it alive for longer.
final class Transfer {
    typealias Result<Success> = Swift.Result<Success, CurlError>
    typealias Waiter<Success> = CheckedContinuation<Result<Success>, Never>

    let id: TransferID
    /// nil once libcurl is done.
    var handle: EasyHandle?
    let request: TransferRequest
    let gather: GatherBuffer
    private let received: ByteCounter
    var headBuilder: HeadBuilder
    var isHeadComplete = false
    /// There is a 401 that libcurl may answer itself, by a request with a digest. It is the response if its body or its
    /// end comes.
    private(set) var isHeadHeld: Bool
    let headDeadline: ContinuousClock.Instant
    /// When to assume next that the server has no thread for the request, if no head has come.
    private var overdueAt: ContinuousClock.Instant
    /// The address of the connection, or of the last one that was opened.
    var address: SocketAddress?
    /// The replies of an FTP server.
    var replies = FTPReplies()
    /// The loop's list of transfers with a complete head.
    let iteration: LoopIteration

    /// The result for the waiting task, and its sink.
    var headWaiter: Waiter<ResponseHead>?
    var endWaiter: Waiter<TransferEnd>?
    var sink: (any BodySink)?
    var isSinkWaiting = false
    /// libcurl holds bytes back until ``EasyHandle/unpause()``.
    var isPaused = false
    var deliveredBytes: Int64 = 0

    /// Why we ended the transfer; libcurl's own code then only says that a callback did.
    var failure: CurlError.Code?
    var openedSockets = 0
    /// Whether the request's connection exists; FTP opens another one for the data.
    var isConnected = false
    var descriptors: [Int32] = []
    var refusedSockets = 0
    /// The connection, which no other transfer may use, unless it speaks HTTP/2.
    private var endpoints: ConnectionCache.Endpoints?
    /// libcurl's result; the sink may not have accepted the bytes in ``gather`` yet.
    var outcome: Result<TransferEnd>?

    init(id: TransferID, handle: EasyHandle, request: TransferRequest, received: ByteCounter, iteration: LoopIteration)
    {
        self.id = id
        self.received = received
        self.handle = handle
        self.request = request
        self.iteration = iteration
        // libcurl offers up to CURL_MAX_WRITE_SIZE bytes at once, which must fit.
        gather = GatherBuffer(capacity: max(request.gatherBytes, Int(CURL_MAX_WRITE_SIZE)))
        headBuilder = HeadBuilder(limits: request.headLimits)
        let now = ContinuousClock.now
        headDeadline = now + request.headTimeout
        overdueAt = now + Self.patience
        isHeadHeld = !request.url.scheme.traits.headerFields
    }

    /// Handles one line of a head, or of the trailers, which are dropped.
    ///
    /// - Returns: Whether the transfer may go on.
    func receiveHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard !isHeadComplete else { return failure == nil }
        if !request.url.scheme.traits.headerFields { return receiveReply(line) }
        if isHeadHeld {
            // A line that is neither a new head nor part of one is a trailer, which is ignored.
            guard line.starts(with: "HTTP/".utf8) else { return failure == nil }
            isHeadHeld = false
        }
        switch headBuilder.consume(line) {
        case .incomplete:
            break
        case .complete:
            if headBuilder.status == 401 && request.credentials?.scheme == .digest {
                isHeadHeld = true
            } else {
                completeHead()
            }
        case .tooLarge:
            failure = .headTooLarge
        case .malformed:
            failure = .headMalformed
        }
        return failure == nil
    }

    private func completeHead() {
        isHeadComplete = true
        iteration.completedHeads.append(self)
    }

    /// Accepts a delayed head as the response's: libcurl sent no further request.
    func releaseHead() {
        guard isHeadHeld else { return }
        isHeadHeld = false
        completeHead()
    }

    enum BodyResult {
        case taken
        case pause
        case abort
    }

    /// Accepts a piece of the body, all or nothing.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> BodyResult {
        releaseHead()
        guard failure == nil else { return .abort }
        if !gather.hasRoom(for: bytes.count) {
            flush()
            guard failure == nil else { return .abort }
            guard gather.hasRoom(for: bytes.count) else {
                isPaused = true
                return .pause
            }
        }
        gather.append(bytes)
        received.add(bytes.count)
        failure = faultOfFile(after: received.value)
        return failure == nil ? .taken : .abort
    }

    /// Offers the collected bytes to the sink, if there is one and it is not waiting.
    func flush() {
        guard let sink, !isSinkWaiting, !gather.isEmpty else { return }
        switch gather.withBytes({ sink.write($0) }) {
        case .taken:
            deliveredBytes += Int64(gather.count)
            gather.removeAll()
        case .part(let count):
            deliveredBytes += Int64(count)
            gather.removeFirst(count)
            isSinkWaiting = true
        case .wait:
            isSinkWaiting = true
        case .stop:
            failure = .sinkStopped
        }
    }

    /// Reserves the connection that is about to be used, if it has no unread bytes and no other user.
    func use(_ ends: ConnectionCache.Endpoints) -> Bool {
        guard descriptors.isEmpty else {
            let (host, port) = (request.url.host, request.url.port)
            iteration.connectionCache.record(ends, among: descriptors, of: "\(host):\(port)")
            takeOver(ends)
            return true
        }
        if request.url.scheme == .https {
            // With a TLS library that has no such check, no connection is reused.
            guard let tls = handle?.tlsSession else { return false }
            // HTTP/2 sends frames at any time, and distinguishes the responses.
            if tls.speaksHTTP2 {
                guard !iteration.connectionCache.isShutDown(ends) else { return false }
                takeOver(ends)
                return true
            }
            guard !tls.hasUnread else { return false }
        }
        guard !iteration.connectionCache.hasUnread(ends), iteration.connectionCache.isFree(ends, for: id) else {
            return false
        }
        takeOver(ends)
        return true
    }

    private func takeOver(_ ends: ConnectionCache.Endpoints) {
        // A digest login may have moved on to another one.
        if endpoints != ends { releaseConnection() }
        endpoints = ends
        iteration.connectionCache.addUser(ends, for: id)
    }

    /// How long to wait for a head before the server is assumed to have no thread for the request. A new connection
    /// costs little compared with that.
    private static let patience = Duration.seconds(1)

    /// The server's address, if the head has not come for ``patience``. Returned once in that time.
    func removeOverdueAddress(at now: ContinuousClock.Instant) -> SocketAddress? {
        guard !isHeadComplete, now >= overdueAt, request.url.scheme.traits.headerFields else { return nil }
        overdueAt = now + Self.patience
        return address
    }

    func releaseConnection() {
        if let endpoints { iteration.connectionCache.release(of: endpoints, by: id) }
        endpoints = nil
    }

    /// Reports the failure to the waiting task.
    func fail(_ error: CurlError) {
        outcome = .failure(error)
        headWaiter?.resume(returning: .failure(error))
        headWaiter = nil
        endWaiter?.resume(returning: .failure(error))
        endWaiter = nil
        sink = nil
    }
}

/// Work that the callbacks of one turn leave for after it, and their shared state.
final class LoopIteration {
    var completedHeads: [Transfer] = []
    let connectionCache: ConnectionCache
    let mailbox: Mailbox

    init(mailbox: Mailbox, _ connectionCache: ConnectionCache) {
        self.mailbox = mailbox
        self.connectionCache = connectionCache
    }
}

/// What is known of a transfer that ended well.
public struct TransferEnd: Hashable, Sendable {
    /// Bytes of the body that the sink accepted.
    public let bytesReceived: Int64
    /// Whether the request reused a connection.
    public let isConnectionReused: Bool
}
