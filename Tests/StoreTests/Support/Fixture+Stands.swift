import Core
import Store

extension DownloadStateMachine {
    /// Every place where a download can stand.
    static let stands: [Self] =
        [.queued, .paused, .completed, .failed, .cancelled].map { Self(state: $0) }
        + DownloadPhase.allCases.map { Self(state: .running, phase: $0) }
        + WaitingFor.allCases.map { Self(state: .waiting, waitingFor: $0) }
}

extension Fixture {
    /// Brings a new download to a stand, by the operations that lead there.
    func download(at stand: DownloadStateMachine, session: String? = nil) async throws -> Download {
        let id = try await make(session: session).id
        switch stand.state {
        case .queued: break
        case .paused: try await done(id, .pause)
        case .cancelled: try await done(id, .cancel)
        case .running: try await run(to: stand.phase)
        case .waiting: _ = try await settle(at: nil, Self.hold(stand.waitingFor ?? .retry))
        case .failed: _ = try await settle(at: nil, .failed(Self.error))
        case .completed: _ = try await settle(at: .publishing, .completed)
        }
        return try await download(id)
    }

    @discardableResult
    private func run(to phase: DownloadPhase?) async throws -> Claim {
        let claim = try await claim().claim
        switch phase {
        case .probing, nil: break
        case .transferring: _ = try await store.checkpoint(claim, Self.checkpoint(400), now: Self.now)
        case .verifying:
            try execute("UPDATE download SET phase = 'verifying' WHERE id = ?", [claim.id.text])
        case .publishing: _ = try await store.publish(claim, Self.file(), Self.checkpoint(1000), now: Self.now)
        }
        return claim
    }

    private func settle(at phase: DownloadPhase?, _ settlement: Settlement) async throws -> Download {
        let claim = try await run(to: phase)
        return try await store.settle(claim, settlement, madeProgress: false, now: Self.now).taken
    }
}
