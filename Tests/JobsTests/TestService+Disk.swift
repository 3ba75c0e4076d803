import Linux
import ServiceSupport
import TestSupport

extension TestService {
    /// The names of the part files.
    var parts: [String] {
        get throws { try Directory(path: folder("parts")).entries().sorted() }
    }

    /// The names in the downloads folder.
    var files: [String] {
        get throws { try Directory(path: folder("downloads")).entries().sorted() }
    }
}
