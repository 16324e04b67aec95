import Compose
import OrderedCollections
import Specs

/// Finds what is wrong between pods, once all are there.
struct PodChecks: GroupedStage, ReportingStage {
    let context: RenderContext
    let collection: CollectedWorkloads
    let grouping: Grouping
    let claims: OrderedDictionary<String, Claim>
    let hostMounts: Set<HostMount>
    var reports = ReportCollector()

    mutating func run() {
        refuseUnknownNetworks()
        reportLocalhost()
        reportSharedVolumes()
        refuseNestedMounts()
    }
}
