import HTTPTypes
import Jobs
import MicroHTTP
import Model
import Wire

/// `/events` and `/downloads/{id}/events`: the log of events.
struct Events: Sendable {
    let service: DownloadService

    // MARK: - GET

    func get(_ context: RequestContext) async throws(Problem) -> ServerResponse {
        let question = try EventQuestion(context.request.query, takesSubjects: true)
        return try await page(question)
    }

    func get(of id: DownloadID, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        var question = try EventQuestion(context.request.query, takesSubjects: false)
        _ = try await asked { () async throws(JobError) in try await service.download(id) }
        question.filter.download = id
        return try await page(question)
    }

    private func page(_ question: EventQuestion) async throws(Problem) -> ServerResponse {
        let page = try await asked { () async throws(JobError) in
            try await service.events(question.filter, after: question.after, limit: question.limit)
        }
        if let after = question.after, !page.window.holdsAll(after: after) {
            throw Problem(
                .eventsExpired,
                "The number is not in the part of the log that is kept.",
                extras: [.oldestSequence(page.window.oldest)]
            )
        }
        return .json(.ok, EventPageBody(page).encoded())
    }
}
