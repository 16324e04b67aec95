import TestSupport
import Testing
import YAML

@testable import Deployments
@testable import Runtimes

/// Numbers of users are read from what an image holds, and nothing of it is run or followed.
@Suite struct ImageUsersTests {
    private let passwd = Array(
        "root:x:0:0::/:/bin/sh\nweb:x:101:102:Web:/srv:/bin/false\nodd:x\nminus:x:-1:0::/:\n".utf8)

    @Test(arguments: [("web", 101), ("root", 0), ("odd", nil), ("minus", nil), ("101", nil), ("we", nil)])
    func `a name has the number that the file gives it`(name: String, number: Int?) {
        #expect(LocalImage.number(of: name, in: passwd) == number)
    }

    private func archive(_ content: [UInt8], type: Character, size: String? = nil) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 512)
        let digits = Array((size ?? String(content.count, radix: 8)).utf8)
        header.replaceSubrange(124..<124 + digits.count, with: digits)
        header[156] = type.asciiValue ?? 0
        return header + content
    }

    @Test func `only a plain file of an archive is read`() {
        #expect(LocalImage.onlyFile(in: archive(passwd, type: "0")).map(Array.init) == passwd)
        #expect(LocalImage.onlyFile(in: archive([], type: "2")) == nil)
        #expect(LocalImage.onlyFile(in: archive(passwd, type: "0", size: "7777777")) == nil)
        #expect(LocalImage.onlyFile(in: archive(passwd, type: "0", size: "x")) == nil)
        #expect(LocalImage.onlyFile(in: []) == nil)
    }

    @Test func `what was looked up is kept`() throws {
        var users = ImageUsers()
        users.numbers = ["localhost/a:1": ["user:web": 101, "group:web": 102]]
        #expect(ImageUsers(node: try loadYAMLDocument(Array(users.yaml.utf8), file: "users.yml")) == users)
    }
}
