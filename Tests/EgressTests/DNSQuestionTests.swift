import Testing

@testable import Egress

@Suite struct DNSQuestionTests {
    private func query(_ labels: [String], type: UInt16 = 1) -> [UInt8] {
        let name = labels.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        return [7, 8, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name + [0, UInt8(type >> 8), UInt8(type & 255), 0, 1]
    }

    @Test func `the answer to an allowed name is the egress's own address`() throws {
        let question = try #require(DNSQuestion(query(["GitHub", "com"])))
        #expect(question.name == "github.com")
        let answer = question.answer(try #require(IPAddress("10.1.2.3")))
        #expect(answer.prefix(8) == [7, 8, 0x85, 0x80, 0, 1, 0, 1])
        #expect(answer.suffix(4) == [10, 1, 2, 3])
        #expect(DNSQuestion.addresses(inAnswer: answer) == [try #require(IPAddress("10.1.2.3"))])
        for length in 0..<answer.count {
            #expect(DNSQuestion.addresses(inAnswer: Array(answer.prefix(length)))?.isEmpty ?? true)
        }
        #expect(DNSQuestion.addresses(inAnswer: question.denial) == [])
    }

    @Test func `an IPv6 address of a name that there is leaves no answer, and is not a denial`() throws {
        let question = try #require(DNSQuestion(query(["github", "com"], type: 28)))
        let answer = question.answer(try #require(IPAddress("10.1.2.3")))
        #expect(answer[3] & 15 == 0)
        #expect(answer[7] == 0)
    }

    @Test func `a name that is not allowed does not exist`() throws {
        #expect(try #require(DNSQuestion(query(["evil", "example"]))).denial[3] & 15 == 3)
    }

    @Test func `what is cut short, points elsewhere or answers is not a question`() {
        let whole = query(["github", "com"])
        for count in 0..<whole.count { #expect(DNSQuestion(Array(whole.prefix(count))) == nil) }
        var pointer = whole
        pointer[12] = 0xc0
        #expect(DNSQuestion(pointer) == nil)
        var answer = whole
        answer[2] = 0x81
        #expect(DNSQuestion(answer) == nil)
    }
}
