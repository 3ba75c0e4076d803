public import Model
import Store
import Transfers

extension DownloadService {
    /// The limits on the rate that are not those of one session or download.
    public var limits: LimitsView { rates.view }

    /// Puts limits in the place of settings, beside those that are there already. They hold at once.
    public func changeLimits(
        _ replacements: ServiceLimits.Replacements,
        expectedRevision: Int64?
    ) async throws(JobError) -> LimitsView {
        let now = time.now
        return try adopt(
            try await stored {
                try await store.changeLimits(replacements, expectedRevision: expectedRevision, now: now)
            }
        )
    }

    /// Puts limits in the place of settings as a whole: where none is named, the setting holds again. The limits of
    /// single hosts stay.
    public func setLimits(
        _ replacements: ServiceLimits.Replacements,
        expectedRevision: Int64?
    ) async throws(JobError) -> LimitsView {
        let now = time.now
        return try adopt(
            try await stored {
                try await store.setLimits(replacements, expectedRevision: expectedRevision, now: now)
            }
        )
    }

    private func adopt(_ change: LimitsChange) throws(JobError) -> LimitsView {
        switch change {
        case .done(let kept):
            rates.adopt(kept)
            return rates.view
        case .unexpected(let revision): throw .revisionMismatch(current: revision)
        }
    }

    /// Gives a host a limit of its own in place of the common one, or takes it away. It holds at once.
    ///
    /// - Parameters:
    ///   - authority: `host:port`, in the form that downloads are counted by.
    ///   - bytesPerSecond: What its downloads together may take; nil for the common limit.
    /// - Throws: ``JobError/notFound`` for what is no such authority.
    public func changeHost(
        _ authority: String,
        bytesPerSecond: DownloadEdit.Change<Int64>?
    ) async throws(JobError) -> HostView {
        guard Self.isAuthority(authority) else { throw .notFound }
        if let bytesPerSecond {
            let now = time.now
            rates.adopt(
                try await stored {
                    try await store.setRate(ofHost: authority, to: bytesPerSecond.value, now: now)
                }
            )
        }
        return try await currentHost(authority)
    }

    /// Whether a URL could be of it as it stands: any port of a scheme is one of the other's, too.
    private static func isAuthority(_ text: String) -> Bool {
        ["http", "https"].contains { scheme in
            (try? SourceURL.parse("\(scheme)://\(text)/"))?.url.authority == text
        }
    }
}
