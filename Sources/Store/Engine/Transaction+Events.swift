import Foundation
import GRDB
import Model

extension Transaction {
    /// Writes an event of a download, with a delivery for each webhook that wants it.
    ///
    /// - Returns: Its number.
    @discardableResult
    func record(
        _ type: EventType,
        _ download: Download,
        from previousState: DownloadState?,
        restart: Event.Restart? = nil,
        at now: Timestamp
    ) throws -> Int64 {
        let event = Event(
            id: EventID(at: now),
            sequence: try nextSequence(),
            type: type,
            at: now,
            subject: .download(download, previousState: previousState, restart: restart)
        )
        try write(event, download: download.id, run: download.run, session: download.request.session, sessionEpoch: nil)
        return event.sequence
    }

    /// Writes the event of a session that drained.
    func record(_ drain: SessionDrain, at now: Timestamp) throws {
        let event = Event(
            id: EventID(at: now),
            sequence: try nextSequence(),
            type: .sessionFinished,
            at: now,
            subject: .session(drain)
        )
        try write(event, download: nil, run: nil, session: drain.name, sessionEpoch: drain.epoch)
    }

    private func write(
        _ event: Event,
        download: DownloadID?,
        run: Int?,
        session: SessionName?,
        sessionEpoch: Int64?
    ) throws {
        try execute(
            """
            INSERT INTO event (seq, id, type, at, download, run, session, session_epoch, terminal, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ) { writer in
            writer.add(event.sequence)
            writer.add(event.id.text)
            writer.add(event.type.rawValue)
            writer.add(event.at.milliseconds)
            writer.add(download?.text)
            writer.add(run)
            writer.add(session?.text)
            writer.add(sessionEpoch)
            writer.add(event.type.isTerminal)
            writer.add(Data(encode(event)))
        }
        notices.insert(.events)
        guard event.type.isDefault else { return }
        for webhook in try enabledWebhooks() {
            try execute(
                "INSERT INTO delivery (id, event, webhook, state, next_attempt_at) VALUES (?, ?, ?, 'pending', ?)",
                [DeliveryID(at: event.at).text, event.sequence, webhook.text, event.at.milliseconds]
            )
            notices.insert(.deliveries)
        }
    }
}
