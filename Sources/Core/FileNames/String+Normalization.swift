// The standard library offers Unicode normalisation only as SPI. swift-foundation imports it in the same way.
@_spi(_Unicode) import Swift

extension String {
    /// The text in normalisation form C, in which canonically equivalent names have equal bytes (Unicode Standard Annex
    /// 15).
    var composed: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: _nfc)
        return String(scalars)
    }

    /// The text in the form in which names are sorted and searched: composed, in lower case.
    public var searchKey: String { composed.lowercased() }

    /// The same in normalisation form D, in which names of macOS are, and keys that were stored by earlier versions.
    public var decomposedSearchKey: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: lowercased()._nfd)
        return String(scalars)
    }
}
