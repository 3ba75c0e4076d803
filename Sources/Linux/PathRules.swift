import Glibc

/// What a name must be before it may reach the kernel.
///
/// `openat2(2)` refuses an escape by itself. The calls that take a name of a folder (`unlinkat`, `renameat2`,
/// `mkdirat`, `fstatat`, `linkat`) have no such flag, so no separator and no `..` may get as far as them.
/// And a Swift string may hold a NUL, at which C would cut it without a word.
enum PathRules {
    static func checkedName(_ name: String) throws(SystemError) -> String {
        guard isName(name.utf8) else { throw SystemError(code: EINVAL, call: "name") }
        return name
    }

    /// The components of a relative path, which hold no `.` and no `..`, and none of which is empty.
    static func components(_ path: String) throws(SystemError) -> [String] {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ isName($0) }) else { throw SystemError(code: EINVAL, call: "path") }
        return parts.map { String(Substring($0)) }
    }

    /// A path of the operator: anything without a NUL.
    static func checkedPath(_ path: String) throws(SystemError) -> String {
        guard !path.utf8.contains(0) else { throw SystemError(code: EINVAL, call: "path") }
        return path
    }

    private static func isName(_ name: some Collection<UInt8>) -> Bool {
        !name.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8)
            && !name.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }
}
