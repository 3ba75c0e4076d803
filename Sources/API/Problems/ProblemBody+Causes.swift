public import Core

/// Problems made from errors of other components.
extension ProblemBody {
    /// The problem for an invalid body.
    public init(_ fault: BodyError) {
        switch fault {
        case .json(let fault): self.init(.invalidJSON, detail: "\(fault.reason.rawValue) At byte \(fault.offset).")
        case .violations(let violations):
            self.init(.invalidRequest, detail: violations.first?.detail, errors: violations.map { ProblemError($0) })
        }
    }
}

/// Problems of the parts of a request.
extension ProblemBody {
    /// The same problem for a body that is at `pointer` in the request.
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

    /// One problem for all errors in a batch. It has the type of the items' problems, or `unprocessable` if their types
    /// differ. It names each invalid item.
    ///
    /// - Parameter problems: The problems of the items, at least one.
    public init(ofBatch problems: [ProblemBody]) {
        let first = problems.first
        let type = first.flatMap { first in problems.allSatisfy { $0.type == first.type } ? first.type : nil }
        let mistakes = problems.reduce(0) { $0 + $1.errors.count }
        // A short list contains all errors, a long one only the first of each item.
        let isMuch = mistakes > CreateBatchBody.maximumItems
        self.init(
            type ?? .unprocessable,
            detail: problems.count == 1 ? first?.detail : "\(problems.count) of the items were refused.",
            errors: problems.flatMap { isMuch ? $0.errors.prefix(1) : $0.errors[...] },
            extras: first.map { first in problems.allSatisfy { $0.extras == first.extras } ? first.extras : [] } ?? []
        )
    }
}
