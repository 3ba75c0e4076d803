import CLibcurl
import URLs

/// One transfer of a ``TransferLoop``, from its request to its result.
///
/// It is not `Sendable`: only the loop's thread uses it, and libcurl runs its callbacks there. libcurl keeps a pointer
/// to it while ``handle`` is set. The loop's table keeps it alive longer than that.
final class Transfer {
    typealias Result<Success> = Swift.Result<Success, CurlError>
    typealias Waiter<Success> = CheckedContinuation<Result<Success>, Never>

    let id: TransferID
    /// nil after libcurl has finished.
    var handle: EasyHandle?
    let request: TransferRequest
    let gather: GatherBuffer
    private let received: ByteCounter
    var headBuilder: HeadBuilder
    var isHeadComplete = false
    /// Set with the head of a chunked body.
    private(set) var chunks: ChunkDecoder?
    /// Whether libcurl may have ended the body at the head. The head is then announced only when libcurl has gone on.
    var isEndInDoubt = false
    /// The number of bytes to drop before the first byte of the body.
    private var leadingBytes: Int
    /// Whether the connection must not be used by another request.
    private(set) var mustCloseConnection = false
    /// Whether the head waits for confirmation. After a 401, libcurl may send a digest request and receive another
    /// head. If the body or the end of the 401 arrives first, the pending head is that of the response.
    private(set) var isHeadHeld: Bool
    private(set) var headDeadline: ContinuousClock.Instant
    /// The latest deadline, however many interim responses there are: an endless row of them must not hold a transfer.
    private var lastHeadDeadline: ContinuousClock.Instant
    /// When to assume that the server has no free thread for the request, if no head has arrived by then.
    private var overdueAt: ContinuousClock.Instant
    /// The reader of the body of an upload; nil for other requests.
    var upload: UploadReader?
    /// How much of it had left this machine when that was looked at last.
    private var uploadProgress = UploadProgress()
    /// The address of the connection, or of the last connection attempt.
    var address: SocketAddress?
    /// The replies of an FTP server.
    var replies = FTPReplies()
    /// The shared state of the loop's callbacks.
    let iteration: LoopIteration

    /// The waiting tasks and the sink of the body.
    var headWaiter: Waiter<ResponseHead>?
    var endWaiter: Waiter<TransferEnd>?
    var sink: (any BodySink)?
    var isSinkWaiting = false
    /// Whether the transfer is paused in libcurl until ``EasyHandle/unpause()``.
    var isPaused = false
    var deliveredBytes: Int64 = 0
    private var pace = BodyPace()

    /// The reason why a callback ended the transfer. libcurl's own code then says only that a callback failed.
    var failure: CurlError.Code?
    var openedSockets = 0
    /// Whether the connection of the request exists. FTP opens another one for data.
    var isConnected = false
    var descriptors: [Int32] = []
    /// Whether the connection speaks HTTP/2.
    private(set) var isOverHTTP2 = false
    var refusedSockets = 0
    /// The connection in use. No other transfer may use it, unless it is an HTTP/2 connection.
    private(set) var endpoints: ConnectionCache.Endpoints?
    /// libcurl's result. The sink may not have accepted the bytes in ``gather`` yet.
    var outcome: Result<TransferEnd>?

    init(id: TransferID, handle: EasyHandle, request: TransferRequest, received: ByteCounter, iteration: LoopIteration)
    {
        self.id = id
        self.received = received
        self.handle = handle
        self.request = request
        self.iteration = iteration
        // libcurl offers up to `CURL_MAX_WRITE_SIZE` bytes at once, and they must fit.
        gather = GatherBuffer(from: iteration.spareMemory) { [gatherBytes = request.gatherBytes] in
            max(gatherBytes(), Int(CURL_MAX_WRITE_SIZE))
        }
        headBuilder = HeadBuilder(limits: request.headLimits)
        let now = ContinuousClock.now
        headDeadline = now + request.headTimeout
        lastHeadDeadline = max(headDeadline, now + Self.longestHead)
        overdueAt = now + Self.patience
        isHeadHeld = !request.scheme.traits.headerFields
        leadingBytes = Int(request.leadingBytes)
        if case .upload(_, let body) = request.method { upload = UploadReader(body) }
    }

    /// Handles one line of a head. Lines of trailers are ignored.
    ///
    /// - Returns: Whether the transfer may continue.
    func receiveHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard !isHeadComplete else { return failure == nil }
        if !request.scheme.traits.headerFields { return receiveReply(line) }
        if isHeadHeld {
            // A line that does not begin a new head belongs to trailers, and is ignored.
            guard line.starts(with: "HTTP/".utf8) else { return failure == nil }
            isHeadHeld = false
        }
        switch headBuilder.consume(line) {
        case .incomplete:
            break
        case .interim:
            headDeadline = min(ContinuousClock.now + request.headTimeout, lastHeadDeadline)
        case .complete:
            mustCloseConnection = headBuilder.isConnectionSuspect
            if headBuilder.status == 401 && request.credentials?.scheme == .digest {
                isHeadHeld = true
                // libcurl reads this body without the callback, so nothing would show where it ends.
                if isUncertain { failure = .lengthBesideChunks }
            } else {
                completeHead()
            }
        case .tooLarge:
            failure = .headTooLarge
        case .malformed:
            failure = .headMalformed
        case .unframed(.transferCoding):
            failure = .transferCodingRefused
        case .unframed(.length):
            failure = .lengthMalformed
        }
        return failure == nil
    }

    private func completeHead() {
        isHeadComplete = true
        switch headBuilder.framing {
        case .chunked:
            chunks = ChunkDecoder()
            isEndInDoubt = isUncertain
        case .length where request.ignoresContentLength:
            // The origin sent chunks before. libcurl would wait for the end of the connection.
            failure = .lengthBesideChunks
        case nil, .noBody, .length, .stream, .untilClose: break
        }
        iteration.completedHeads.append(self)
    }

    /// Whether libcurl may end the body at the head, and the request can be repeated then. For another request the
    /// status is kept, and a body that libcurl ended is partial.
    private var isUncertain: Bool {
        headBuilder.framing?.mayEndAtHead == true && request.repetition(after: .lengthBesideChunks) != nil
    }

    /// Restarts the clock of the head if bytes of an upload have left this machine.
    func recordProgress(_ progress: UploadProgress, at now: ContinuousClock.Instant) {
        // A request that is sent again begins at 0, so that any change counts.
        guard progress != uploadProgress else { return }
        uploadProgress = progress
        headDeadline = now + request.headTimeout
        lastHeadDeadline = max(headDeadline, now + Self.longestHead)
        overdueAt = now + Self.patience
    }

    /// Decides, when libcurl has reported success, whether it ended the body at the head.
    func endDoubt() {
        if isEndInDoubt && chunks?.isComplete != true { failure = .lengthBesideChunks }
        isEndInDoubt = false
    }

    /// Completes the pending head, because libcurl sends no further request.
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

    /// Accepts a piece of the body completely or not at all. Chunks are not larger when they are decoded.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> BodyResult {
        releaseHead()
        guard failure == nil, chunks?.fault == nil else { return .abort }
        if iteration.isCrowded { iteration.recordRead(by: self) }
        if !gather.hasRoom(for: bytes.count) {
            // A pause would hide whether libcurl has ended the body.
            if isEndInDoubt { failure = .lengthBesideChunks }
            flush()
            guard failure == nil else { return .abort }
            guard gather.hasRoom(for: bytes.count) else {
                isPaused = true
                return .pause
            }
        }
        appendContent(of: bytes)
        failure = faultOfFile(after: received.value)
        if failure == nil, let sink, gather.count >= sink.leastOffer { flush() }
        // Bytes before an invalid chunk are good, so that fault does not discard them.
        return failure == nil && chunks?.fault == nil ? .taken : .abort
    }

    private func appendContent(of bytes: UnsafeRawBufferPointer) {
        guard chunks != nil else {
            let content = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(leadingBytes))
            leadingBytes -= bytes.count - content.count
            gather.append(content)
            return received.add(content.count)
        }
        chunks?.decode(bytes) { content in
            gather.append(content)
            received.add(content.count)
        }
        if chunks?.hasSurplus == true { mustCloseConnection = true }
    }

    /// The number of received bytes of the body.
    var receivedBytes: Int64 { received.value }

    /// Passes on what one call of libcurl read in small pieces, if it is much or the body is slow: then there are few
    /// reads. Otherwise more is collected, until a tick of the loop.
    func endRead() {
        if failure == nil, pace.isSlow || gather.count >= Self.leastWrite { flush() }
    }

    /// The smallest number of bytes that are written before a tick: a page of the file.
    private static let leastWrite = 4096

    /// Whether the socket may rest after a read: the body is slow, and neither new nor about to end.
    var mayRest: Bool {
        guard isHeadComplete, !isPaused, outcome == nil, failure == nil, request.versionPreference == .http1 else {
            return false
        }
        return pace.mayRest(received.value, of: contentLength, at: .now)
    }

    /// Offers the collected bytes to the sink, if there is a sink and it is not waiting.
    func flush() {
        guard let sink, !isSinkWaiting, !gather.isEmpty else { return }
        switch gather.withBytes({ sink.write($0) }) {
        case .taken:
            deliveredBytes += Int64(gather.count)
            gather.removeAll(keepingCapacity: !iteration.isCrowded)
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

    /// Marks a connection as used by this transfer. Returns false if it has unread bytes or another user.
    func use(_ ends: ConnectionCache.Endpoints) -> Bool {
        isOverHTTP2 = request.scheme == .https && handle?.tlsSession?.speaksHTTP2 == true
        guard descriptors.isEmpty else {
            let (host, port) = (request.url.host, request.url.port)
            iteration.connectionCache.record(ends, among: descriptors, of: "\(host):\(port)")
            assignConnection(ends)
            return true
        }
        if request.scheme == .https {
            // No connection is reused with a TLS library that cannot be checked.
            guard let tls = handle?.tlsSession else { return false }
            // An HTTP/2 server may send frames at any time, and streams keep the responses apart.
            if isOverHTTP2 {
                guard !iteration.connectionCache.isShutDown(ends) else { return false }
                assignConnection(ends)
                return true
            }
            guard !tls.hasUnread else { return false }
        }
        guard !iteration.connectionCache.hasUnread(ends), iteration.connectionCache.isFree(ends, for: id) else {
            return false
        }
        assignConnection(ends)
        return true
    }

    private func assignConnection(_ ends: ConnectionCache.Endpoints) {
        // A digest login may continue on another connection.
        if endpoints != ends { releaseConnection() }
        endpoints = ends
        iteration.connectionCache.addUser(ends, for: id)
    }

    /// How long to wait for a head before assuming that the server has no free thread for the request.
    private static let patience = Duration.seconds(1)
    /// How long a head may take if interim responses come all the time.
    private static let longestHead = Duration.seconds(3600)

    /// The server's address, if the transfer opened a connection and no head has arrived for ``patience``. The server
    /// has a thread for a connection that answered before. The address is returned at most once per ``patience``.
    func removeOverdueAddress(at now: ContinuousClock.Instant) -> SocketAddress? {
        guard !isHeadComplete, openedSockets > 0, now >= overdueAt, request.scheme.traits.headerFields else {
            return nil
        }
        overdueAt = now + Self.patience
        return address
    }

    func releaseConnection() {
        if let endpoints { iteration.connectionCache.release(of: endpoints, by: id, closes: mustCloseConnection) }
        endpoints = nil
    }

    /// Ends the transfer with `error`, which is passed to the waiting task.
    func fail(_ error: CurlError) {
        outcome = .failure(error)
        headWaiter?.resume(returning: .failure(error))
        headWaiter = nil
        endWaiter?.resume(returning: .failure(error))
        endWaiter = nil
        sink = nil
    }
}

/// State that the callbacks of one loop share, and the heads to report after the current iteration.
final class LoopIteration {
    var completedHeads: [Transfer] = []
    /// Whether there are so many transfers that the slow ones take turns.
    var isCrowded = false
    /// The transfers that received bytes since the last call of ``removeReaders()``.
    private var readers: [Transfer] = []
    let spareMemory = SpareMemory()
    let connectionCache: ConnectionCache
    let mailbox: Mailbox

    init(mailbox: Mailbox, _ connectionCache: ConnectionCache) {
        self.mailbox = mailbox
        self.connectionCache = connectionCache
    }

    /// One call of libcurl may read for thousands of transfers. Only the last of them has bytes that wait for its end.
    func recordRead(by transfer: Transfer) {
        guard readers.last !== transfer else { return }
        readers.last?.endRead()
        readers.append(transfer)
    }

    func removeReaders() -> [Transfer] {
        defer { readers = [] }
        return readers
    }
}

/// The result of a successful transfer.
public struct TransferEnd: Hashable, Sendable {
    /// The bytes of the body that the sink accepted.
    public let bytesReceived: Int64
    /// Whether the request reused a connection.
    public let isConnectionReused: Bool

    public init(bytesReceived: Int64, isConnectionReused: Bool) {
        self.bytesReceived = bytesReceived
        self.isConnectionReused = isConnectionReused
    }
}
