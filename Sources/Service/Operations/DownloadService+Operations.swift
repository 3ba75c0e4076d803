public import Core
import Store
import Transfer

/// Actions on many downloads (docs/decisions/0043).
extension DownloadService {
    /// Records an operation, which the runner carries out.
    ///
    /// - Throws: ``ServiceError/queueFull`` if too many operations are unfinished.
    public func act(
        _ request: BulkRequest,
        replay: IdempotentOperation<BulkOperation>? = nil
    ) async throws -> IdempotentResult<BulkOperation> {
        guard !running.isShuttingDown else { throw ServiceError.draining }
        let now = time.now
        let result = try await store.createOperation(OperationID(at: now), request, replay: replay, now: now)
        return try result.map { operation throws(ServiceError) in
            guard let operation else { throw ServiceError.queueFull }
            return operation
        }
    }

    /// Why an operation waits; nil if it does not.
    public func waitingReason(of operation: BulkOperation) -> String? {
        operation.finishedAt == nil ? deferredOperations.reason(operation.id) : nil
    }

    /// The current state of an operation.
    public func operation(_ id: OperationID) async throws -> BulkOperation {
        guard let operation = try await store.operation(id) else { throw ServiceError.notFound }
        return operation
    }

    /// Carries out one step of the oldest unfinished operation that is not deferred. If the step fails, the operation
    /// is deferred, so that the next ones continue.
    ///
    /// - Returns: The duration of the write; nil if there is no step to do.
    /// - Throws: ``StepDeferred``, or the error if the operations cannot be read.
    func carryOutStep(limit: Int, logFailure: (DownloadID, String) -> Void) async throws -> Duration? {
        let deferred = deferredOperations.waiting(at: time.now)
        guard let id = try await store.unfinishedOperation(except: deferred) else { return nil }
        do {
            let duration = try await carryOutStep(limit: limit, except: deferred, logFailure)
            deferredOperations.remove(id)
            return duration
        } catch is CancellationError {
            throw CancellationError()
        } catch StoreError.closed {
            throw StoreError.closed
        } catch {
            deferredOperations.add(id, because: error, at: time.now)
            throw StepDeferred(operation: id, cause: error)
        }
    }

    private func carryOutStep(
        limit: Int,
        except deferred: Set<OperationID>,
        _ logFailure: (DownloadID, String) -> Void
    ) async throws -> Duration? {
        guard let batch = try await store.nextBatch(limit: limit, except: deferred) else { return nil }
        let removal = try await removeFiles(batch, logFailure)
        let clock = ContinuousClock()
        let start = clock.now
        let step = try await store.carryOut(
            batch,
            without: removal.failures,
            removed: removal.removed,
            timeLimit: settings.timeLimit,
            now: time.now
        )
        let duration = clock.now - start
        guard let step else { return duration }
        if batch.operation.request.action != .delete {
            for result in step.results { announceDue(result.download) }
        }
        stopWorkers(of: step.results)
        return duration
    }

    /// The result of removing files before a step deletes records.
    private struct Removal {
        var removed: Set<DownloadID> = []
        var failures: [BulkFailure] = []
    }

    /// Removes the finished files of the downloads that the step will delete. In the other order, a file that cannot be
    /// removed would remain without a record.
    private func removeFiles(
        _ batch: OperationBatch,
        _ logFailure: (DownloadID, String) -> Void
    ) async throws -> Removal {
        let request = batch.operation.request
        var removal = Removal()
        guard request.action == .delete, request.removesFile, !request.isDryRun else { return removal }
        for id in batch.ids {
            do {
                let found = try await store.download(id, selectedBy: request.filter)
                guard let download = found else { continue }
                if try await removeFile(of: id, expectedRevision: download.revision) != nil {
                    removal.removed.insert(id)
                }
            } catch {
                switch ServiceError(error) {
                case .notFound: continue
                case .revisionMismatch: removal.failures.append(BulkFailure(id, .busy))
                case .unreadable: removal.failures.append(BulkFailure(id, .unreadable))
                case .fileNotRemoved(let cause), .rootUnavailable(let cause):
                    logFailure(id, cause)
                    removal.failures.append(BulkFailure(id, .fileNotRemoved))
                default: throw error
                }
            }
        }
        return removal
    }
}
