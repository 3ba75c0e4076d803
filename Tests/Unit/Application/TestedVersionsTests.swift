import Testing

@testable import Application

struct TestedVersionsTests {
    @Test(arguments: ["7.88.1", "7.88.2", "8.0.0", "8.14.1", "8.22.0", "8.22.9-DEV"])
    func aVersionWithinTheRangeHasNoWarning(version: String) {
        #expect(TestedVersions.curl.warning(for: version) == nil)
    }

    @Test(arguments: ["7.88.0", "7.9", "8.23.0", "9.1", "10.0", "git"])
    func aVersionOutsideTheRangeIsNamed(version: String) throws {
        let warning = try #require(TestedVersions.curl.warning(for: version))

        #expect(warning.hasPrefix("libcurl \(version) was not tested"))
    }

    @Test
    func theLibrariesOfThisMachineAreTested() throws {
        #expect(try TestedVersions.warnings() == [])
    }
}
