public import Core

/// Problems made of the errors of other parts.
extension ProblemBody {
    /// A body that could not be read.
    public init(_ fault: BodyError) {
        switch fault {
        case .json(let fault): self.init(.invalidJSON, detail: "\(fault.reason.rawValue) At byte \(fault.offset).")
        case .violations(let violations):
            self.init(.invalidRequest, detail: violations.first?.detail, errors: violations.map { ProblemError($0) })
        }
    }

    /// An action that the download's state forbids.
    public init(_ refusal: InvalidTransition) {
        self.init(
            .invalidTransition,
            detail: "Cannot \(refusal.action.rawValue): the download is \(refusal.state.rawValue).",
            extras: [.state(refusal.state), .action(refusal.action), .allowedActions(refusal.allowedActions)]
        )
    }

    /// A retry that the state allows, and another download's dedupe key does not.
    public init(dedupeKeyTakenBy holder: DownloadID, _ state: DownloadState) {
        self.init(
            .dedupeKeyTaken,
            detail: "The download \(holder) has the same dedupe_key.",
            extras: [
                .state(state), .action(.retry), .allowedActions(state.allowedActions(in: nil)), .downloadID(holder),
            ]
        )
    }

    /// A request with the dedupe key of a download of another file.
    public init(_ conflict: DedupeConflict) {
        self.init(
            .dedupeConflict,
            detail: "The download \(conflict.download) has this dedupe_key, but another file.",
            errors: conflict.members.map { member in
                let (pointer, detail) =
                    switch member {
                    case .url: ("/url", "The download has another URL.")
                    case .size: ("/expected/size_bytes", "The download does not expect this size.")
                    case .digests: ("/expected/digests", "The download does not expect all of these digests.")
                    }
                return ProblemError(.pointer(JSONPointer(text: pointer)), code: .forbidden, detail: detail)
            },
            extras: [
                .downloadID(conflict.download), .existing(conflict.existing), .requested(conflict.requested),
            ]
        )
    }

    /// Members that the download's state does not let be changed.
    public init(locked members: [String], in state: DownloadState) {
        self.init(
            .fieldLocked,
            errors: members.map { name in
                let pointer = JSONPointer.root.appending(name)
                return ProblemError(
                    .pointer(pointer),
                    code: .forbidden,
                    detail: "Cannot be changed: the download is \(state.rawValue)."
                )
            },
            extras: [.state(state)]
        )
    }
}

/// Problems of what is a part of a request.
extension ProblemBody {
    /// The same problem of a body that stands at `pointer` in the request.
    public func moved(to pointer: JSONPointer) -> ProblemBody {
        var problem = self
        problem.errors = errors.map { error in
            guard case .pointer(let place) = error.place else { return error }
            var error = error
            error.place = .pointer(JSONPointer(text: pointer.text + place.text))
            return error
        }
        return problem
    }

    /// One problem for all that is wrong in a batch: of the type that the items' own problems have, or `unprocessable`
    /// where they differ. Each item that is wrong is named.
    ///
    /// - Parameter problems: Those of the items, at least one.
    public init(ofBatch problems: [ProblemBody]) {
        let first = problems.first
        let type = first.flatMap { first in problems.allSatisfy { $0.type == first.type } ? first.type : nil }
        let mistakes = problems.reduce(0) { $0 + $1.errors.count }
        // Of a few all is told; of many the first mistake of each.
        let isMuch = mistakes > CreateBatchBody.maximumItems
        self.init(
            type ?? .unprocessable,
            detail: problems.count == 1 ? first?.detail : "\(problems.count) of the items were refused.",
            errors: problems.flatMap { isMuch ? $0.errors.prefix(1) : $0.errors[...] },
            extras: first.map { first in problems.allSatisfy { $0.extras == first.extras } ? first.extras : [] } ?? []
        )
    }
}
