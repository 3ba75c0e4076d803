import API
import Logging
import Testing

@testable import Application

@Suite struct LineLogHandlerTests {
    @Test func aNumberOfTheProgramStaysANumber() {
        #expect(JSONLine.Value(.stringConvertible(8080)) == .number(8080))
        #expect(JSONLine.Value(.stringConvertible(Int64.min)) == .number(.min))
        #expect(JSONLine.Value(.stringConvertible(UInt64.max)) == .text("18446744073709551615"))
        #expect(JSONLine.Value(.string("8080")) == .text("8080"))
    }

    @Test func aLineHasNumbersAsJSONNumbers() {
        let line = JSONLine.text([("msg", .text("listening")), ("server.port", .number(8080))])

        #expect(line == #"{"msg":"listening","server.port":8080}"#)
    }
}
