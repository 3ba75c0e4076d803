import CLibcurl

/// One transfer of a ``TransferLoop``, from its request to its outcome.
///
/// It is not `Sendable`: the loop's thread alone touches it, and libcurl's callbacks run there too.
/// libcurl holds a pointer to it while ``handle`` is set, and the loop's table keeps it alive for longer.
final class Transfer {
    typealias Result<Success> = Swift.Result<Success, CurlError>
    typealias Waiter<Success> = CheckedContinuation<Result<Success>, Never>

    let id: TransferID
    /// Nil once libcurl is done.
    var handle: EasyHandle?
    let request: TransferRequest
    let gather: GatherBuffer
    private let received: ByteCounter
    var headBuilder: HeadBuilder
    var isHeadComplete = false
    /// A 401 is here that libcurl may answer by itself, by asking again with a digest. It is the response if its body
    /// or its end comes.
    /// What a server of files says of one is all there when its first byte comes, or its end.
    private(set) var isHeadHeld: Bool
    let headDeadline: ContinuousClock.Instant
    /// When to assume next that the server has no thread for the request, if no head has come.
    private var overdueAt: ContinuousClock.Instant
    /// The address of the connection, or of the last one that was opened.
    var address: SocketAddress?
    /// Of an FTP server.
    var replies = FTPReplies()
    /// Where the transfer puts itself when its head is complete.
    let turn: LoopTurn

    /// What the waiting task is to be told, and where its bytes go.
    var headWaiter: Waiter<ResponseHead>?
    var endWaiter: Waiter<TransferEnd>?
    var sink: (any BodySink)?
    var isSinkWaiting = false
    /// libcurl keeps bytes back until ``EasyHandle/unpause()``.
    var isPaused = false
    var deliveredBytes: Int64 = 0

    /// Why we ended the transfer; it explains libcurl's own code, which then only says that a callback did.
    var failure: CurlError.Code?
    var openedSockets = 0
    /// Whether the connection that the request goes over is there; FTP opens another for the data.
    var isConnected = false
    var descriptors: [Int32] = []
    var refusedSockets = 0
    /// The connection that nobody else may use meanwhile, unless it speaks HTTP/2.
    private var held: KeptSockets.Ends?
    /// How libcurl ended it; the bytes in ``gather`` may not have been taken yet.
    var outcome: Result<TransferEnd>?

    init(id: TransferID, handle: EasyHandle, request: TransferRequest, received: ByteCounter, turn: LoopTurn) {
        self.id = id
        self.received = received
        self.handle = handle
        self.request = request
        self.turn = turn
        // libcurl offers up to CURL_MAX_WRITE_SIZE bytes at once, all of which are to fit.
        gather = GatherBuffer(capacity: max(request.gatherBytes, Int(CURL_MAX_WRITE_SIZE)))
        headBuilder = HeadBuilder(limits: request.headLimits)
        let now = ContinuousClock.now
        headDeadline = now + request.headTimeout
        overdueAt = now + Self.patience
        isHeadHeld = request.url.scheme.isFile
    }

    /// Takes one line of a head, or of the trailers, which are dropped.
    ///
    /// - Returns: Whether the transfer may go on.
    func receiveHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard !isHeadComplete else { return failure == nil }
        if request.url.scheme.isFile { return receiveReply(line) }
        if isHeadHeld {
            // What is neither a new head nor part of one are the trailers of the response that nobody reads.
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
        turn.completedHeads.append(self)
    }

    /// Lets a head that was held back be the response's: libcurl did not ask again.
    func releaseHead() {
        guard isHeadHeld else { return }
        isHeadHeld = false
        completeHead()
    }

    enum BodyVerdict {
        case taken
        case pause
        case abort
    }

    /// Takes a piece of the body, all or nothing.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict {
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

    /// Offers what was gathered to the sink, if there is one and it is not waiting.
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

    /// Takes the connection that is about to be used, where nothing lies on it, and nobody else uses it.
    func take(_ ends: KeptSockets.Ends) -> Bool {
        guard descriptors.isEmpty else {
            let (host, port) = (request.url.host, request.url.port)
            turn.keptSockets.note(ends, among: descriptors, of: "\(host):\(port)")
            hold(ends)
            return true
        }
        if request.url.scheme == .https {
            // With a library that cannot be asked, no connection is used a second time.
            guard let tls = handle?.tlsSession else { return false }
            // HTTP/2 speaks when it likes, and tells the answers apart.
            if tls.speaksHTTP2 {
                guard !turn.keptSockets.isShutDown(ends) else { return false }
                hold(ends)
                return true
            }
            guard !tls.hasUnread else { return false }
        }
        guard !turn.keptSockets.hasUnread(ends), turn.keptSockets.isFree(ends, for: id) else { return false }
        hold(ends)
        return true
    }

    private func hold(_ ends: KeptSockets.Ends) {
        // A digest login may have moved on to another one.
        if held != ends { letGoOfConnection() }
        held = ends
        turn.keptSockets.hold(ends, for: id)
    }

    /// How long to wait for a head before the server is assumed to have no thread for the request. A new connection
    /// costs little compared with that.
    private static let patience = Duration.seconds(1)

    /// The server's address, if the head has not come for ``patience``. Returned once in that time.
    func takeOverdueAddress(at now: ContinuousClock.Instant) -> SocketAddress? {
        guard !isHeadComplete, now >= overdueAt, !request.url.scheme.isFile else { return nil }
        overdueAt = now + Self.patience
        return address
    }

    func letGoOfConnection() {
        if let held { turn.keptSockets.letGo(of: held, by: id) }
        held = nil
    }

    /// Tells whoever waits that the transfer failed.
    func fail(_ error: CurlError) {
        outcome = .failure(error)
        headWaiter?.resume(returning: .failure(error))
        headWaiter = nil
        endWaiter?.resume(returning: .failure(error))
        endWaiter = nil
        sink = nil
    }
}

/// What the callbacks of one turn of libcurl leave to be done after it, and what they share.
final class LoopTurn {
    var completedHeads: [Transfer] = []
    let keptSockets: KeptSockets
    let mailbox: Mailbox

    init(mailbox: Mailbox, _ keptSockets: KeptSockets) {
        self.mailbox = mailbox
        self.keptSockets = keptSockets
    }
}
