import GRDB
import Model

extension Download {
    /// Reads the columns of ``DownloadColumns/list``.
    init(_ reader: inout RowReader) throws {
        let id = try reader.id(DownloadKind.self)
        let directory: String? = reader.optional()
        let session: String? = reader.optional()
        let dedupeKey: String? = reader.optional()
        let callbackURLs = [String](column: reader.optional())
        let webhookIDs = try [WebhookID](column: reader.optional())
        let createdAt = try reader.time()
        var request = try DownloadRequest(&reader)
        request.directory = try directory.map(RelativeDirectory.init(validating:))
        request.session = try session.map { text in
            guard let name = SessionName(text) else { throw StoreError.unreadable("session '\(text)'") }
            return name
        }
        request.dedupeKey = dedupeKey
        request.callbackURL = callbackURLs.first
        request.joinedCallbackURLs = Array(callbackURLs.dropFirst())
        request.webhookIDs = webhookIDs
        // What follows replaces what is assumed here.
        self.init(
            id: id,
            request: request,
            state: .queued,
            times: Times(createdAt: createdAt, deadlineAt: createdAt)
        )
        try readMarks(&reader)
        try readLife(&reader)
        try readProgress(&reader)
        source = try Source(&reader)
        file = try PublishedFile(&reader)
        error = try DownloadFailure(&reader)
        if case .at = request.deadline { self.request.deadline = .at(times.deadlineAt) }
    }

    /// Writes the columns of ``DownloadColumns/fixed``.
    func writeFixed(to writer: inout RowWriter) {
        writer.add(id.text)
        writer.add(request.directory?.path)
        writer.add(request.session?.text)
        writer.add(request.dedupeKey)
        writer.add(request.callbackURLs.column)
        writer.add(request.webhookIDs.column)
        writer.add(times.createdAt.milliseconds)
    }

    private mutating func readMarks(_ reader: inout RowReader) throws {
        phase = try reader.optionalWord()
        revision = try reader.next()
        times.updatedAt = try reader.time()
    }

    func writeMarks(to writer: inout RowWriter) {
        writer.add(phase?.rawValue)
        writer.add(revision)
        writer.add(times.updatedAt.milliseconds)
    }

    private mutating func readLife(_ reader: inout RowReader) throws {
        state = try reader.word()
        waitingFor = try reader.optionalWord()
        run = try reader.next()
        epoch = try reader.next()
        owner = reader.optional()
        generation = try reader.next()
        attempts.count = try reader.next()
        attempts.withoutProgress = try reader.next()
        attempts.restarts = try reader.next()
        attempts.sameFailures = try reader.next()
        attempts.suspectAnswers = try reader.next()
        attempts.mismatches = try reader.next()
        attempts.newLinks = try reader.next()
        attempts.crashes = try reader.next()
        attempts.crashesDespiteProgress = try reader.next()
        times.queuedAt = try reader.time()
        times.startedAt = reader.optionalTime()
        times.finishedAt = reader.optionalTime()
        times.nextAttemptAt = reader.optionalTime()
        times.deadlineAt = try reader.time()
        times.pausedAt = reader.optionalTime()
    }

    func writeLife(to writer: inout RowWriter) {
        writer.add(state.rawValue)
        writer.add(waitingFor?.rawValue)
        writer.add(run)
        writer.add(epoch)
        writer.add(owner)
        writer.add(generation)
        writer.add(attempts.count)
        writer.add(attempts.withoutProgress)
        writer.add(attempts.restarts)
        writer.add(attempts.sameFailures)
        writer.add(attempts.suspectAnswers)
        writer.add(attempts.mismatches)
        writer.add(attempts.newLinks)
        writer.add(attempts.crashes)
        writer.add(attempts.crashesDespiteProgress)
        writer.add(times.queuedAt.milliseconds)
        writer.add(times.startedAt?.milliseconds)
        writer.add(times.finishedAt?.milliseconds)
        writer.add(times.nextAttemptAt?.milliseconds)
        writer.add(times.deadlineAt.milliseconds)
        writer.add(times.pausedAt?.milliseconds)
    }

    private mutating func readProgress(_ reader: inout RowReader) throws {
        progress.durableBytes = try reader.next()
        progress.totalBytes = reader.optional()
        progress.resumedFromBytes = try reader.next()
        times.progressedAt = try reader.time()
    }

    func writeProgress(to writer: inout RowWriter) {
        writer.add(progress.durableBytes)
        writer.add(progress.totalBytes)
        writer.add(progress.resumedFromBytes)
        writer.add(times.progressedAt.milliseconds)
    }

    /// Whether a column of the download's life differs.
    func isLifeChanged(from old: Download) -> Bool {
        var oldTimes = old.times
        oldTimes.updatedAt = times.updatedAt
        oldTimes.progressedAt = times.progressedAt
        return oldTimes != times || old.attempts != attempts
            || (old.state, old.waitingFor, old.run, old.epoch, old.generation)
                != (state, waitingFor, run, epoch, generation)
            || old.owner != owner
    }
}
