import Foundation
import GRDB
import Model

extension Transaction {
    /// What a request that came before was answered, or that its key came with another request.
    func answer(to request: IdempotentRequest) throws -> Creation? {
        switch try earlier(request) {
        case .none: nil
        case .same(let answer): .replayed(answer)
        case .other: .keyReused
        }
    }

    enum Earlier {
        case none
        case same(StoredAnswer)
        case other
    }

    func earlier(_ request: IdempotentRequest) throws -> Earlier {
        let statement = try database.cachedStatement(
            sql: "SELECT fingerprint, http_status, location, etag, body FROM idempotency WHERE scope = ? AND key = ?"
        )
        guard let row = try Row.fetchOne(statement, arguments: [request.scope, request.key]) else { return .none }
        var reader = RowReader(row)
        let fingerprint: Data = reader.next()
        guard [UInt8](fingerprint) == request.fingerprint else { return .other }
        return .same(
            StoredAnswer(
                status: reader.next(),
                location: reader.optional(),
                etag: reader.optional(),
                body: [UInt8](reader.next(Data.self))
            )
        )
    }

    func keep(_ answer: StoredAnswer, to request: IdempotentRequest, now: Timestamp) throws {
        try execute(
            """
            INSERT INTO idempotency (scope, key, fingerprint, http_status, location, etag, body, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                request.scope, request.key, Data(request.fingerprint), answer.status, answer.location, answer.etag,
                Data(answer.body), now.milliseconds,
            ]
        )
    }
}
