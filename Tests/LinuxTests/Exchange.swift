import CLinux
import Glibc
@testable import Linux

/// Lets two names trade places in one step: `RENAME_EXCHANGE` of `rename(2)`.
func exchange(_ first: String, _ second: String) throws {
    let exchangeFlag: UInt32 = 1 << 1
    try systemCall("renameat2") { shim_renameat2(AT_FDCWD, first, AT_FDCWD, second, exchangeFlag) }
}
