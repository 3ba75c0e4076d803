import Model
import Transfers

extension SourceURL {
    /// Reads the URL of a client's request.
    ///
    /// - Parameters:
    ///   - files: Whether it may be one of a server of files.
    ///   - pointer: The member that it comes from.
    static func read(
        _ text: String,
        files: Bool = false,
        pointer: String
    ) throws(JobError) -> (url: SourceURL, user: String?, password: String?) {
        do {
            return try parse(text, files: files)
        } catch {
            if error.hasOtherScheme { throw .destinationForbidden(.scheme, pointer: pointer) }
            throw .invalid([JobError.Violation(pointer: pointer, detail: error.detail)])
        }
    }

    /// Reads one that has no user information.
    ///
    /// - Parameter detail: What is said of one that has.
    static func read(
        _ text: String,
        pointer: String,
        refusingUser detail: String
    ) throws(JobError) -> SourceURL {
        let (url, user, password) = try read(text, pointer: pointer)
        guard user == nil && password == nil else {
            throw .invalid([JobError.Violation(pointer: pointer, detail: detail)])
        }
        return url
    }
}
