import KubernetesClient
import Testing

/// Requests and answers as values.
@Suite struct RequestTests {
    @Test func `paths name group, namespace, object and subresource, each encoded`() {
        #expect(
            ResourceType.deployments.path(namespace: "a", name: "web") == "/apis/apps/v1/namespaces/a/deployments/web")
        #expect(ResourceType.persistentVolumes.path(namespace: "a", name: "v") == "/api/v1/persistentvolumes/v")
        #expect(
            ResourceType.pods.path(namespace: "a/b", name: "p?", subresource: "log")
                == "/api/v1/namespaces/a%2Fb/pods/p%3F/log")
    }

    @Test func `a log's request carries what was asked`() {
        var log = PodLogRequest(namespace: "n", pod: "p", container: "c")
        log.follow = true
        log.tailLines = 5
        log.sinceTime = "2026-01-01T00:00:00Z"
        #expect(
            log.request.target
                == "/api/v1/namespaces/n/pods/p/log?container=c&follow=true&tailLines=5&sinceTime=2026-01-01T00%3A00%3A00Z"
        )
    }

    @Test func `what was read, applied or deleted may be asked again, what was created may not`() {
        #expect(APIRequest(.get, "/x", summary: "").repeatability == .always)
        #expect(APIRequest(.delete, "/x", summary: "").repeatability == .always)
        #expect(APIRequest(.post, "/x", summary: "").repeatability == .ifRefused)
        #expect(APIRequest(.patch, "/x", summary: "").repeatability == .ifRefused)
    }

    @Test func `a conflict names the other manager and the field`() {
        let body = """
            {"kind":"Status","status":"Failure","message":"Apply failed with 1 conflict: conflict with \\"other\\": .data.z",
             "reason":"Conflict","details":{"causes":[{"reason":"FieldManagerConflict","message":"conflict with \\"other\\"",
             "field":".data.z"}]},"code":409}
            """
        let status = APIStatus(code: 409, body: Array(body.utf8))
        #expect(status.fieldConflicts.map(\.field) == [".data.z"])
        #expect(KubernetesError(status, request: "apply ConfigMap/c").code == .conflict)
    }

    @Test(arguments: [
        (409, "AlreadyExists", KubernetesError.Code.alreadyExists), (404, "NotFound", .notFound),
        (403, "Forbidden", .forbidden),
        (410, "Expired", .expired), (422, "Invalid", .invalid), (500, "", .server),
        (401, "Unauthorized", .unauthorized),
    ])
    func `each status has its code`(code: Int, reason: String, expected: KubernetesError.Code) {
        #expect(KubernetesError(APIStatus(code: code, reason: reason, message: ""), request: "").code == expected)
    }

    @Test func `an answer that is no Status is told shortened`() {
        let status = APIStatus(code: 502, body: Array("<html>\nbad gateway".utf8))
        #expect(status.message == "<html>")
    }
}
