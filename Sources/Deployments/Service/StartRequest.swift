package import Runtimes

/// What a start of a deployment is asked for, before its files are read.
package struct StartRequest: Sendable {
    package var options = StartOptions()
    package var recreation: Recreation?
    /// Whether the pods of ``StartOptions/services`` are replaced, and no others.
    package var restarts = false

    package init(_ options: StartOptions = StartOptions()) { self.options = options }

    package init(services: [String]) { options.services = services }

    /// - Throws: ``DeploymentError`` (`missing`) for the first that is not a service of the deployment.
    func options(for handle: DeploymentHandle) throws(DeploymentError) -> StartOptions {
        try handle.requireServices(options.services)
        var result = options
        if restarts {
            result = try handle.restartOptions(options.services, graceSeconds: options.graceSeconds)
        } else if let recreation {
            result = try recreation.applied(to: options, handle)
        }
        result.replacesEnded = handle.model.isProject
        return result
    }
}

/// Which pods are replaced besides those that changed, as `docker compose up` has it.
package struct Recreation: Sendable {
    /// Those of the named services, or all, though they did not change.
    package var replacesServices = false
    /// Those of what the named services depend on, too.
    package var replacesDependencies = false
    /// None, not even those that changed.
    package var keepsChanged = false
    /// What the named services depend on is left alone.
    package var leavesDependencies = false
    /// Pods that are replaced begin with empty volumes where these have no name.
    package var renewsAnonymousVolumes = false

    package init() {}

    fileprivate func applied(
        to options: StartOptions, _ handle: DeploymentHandle
    ) throws(DeploymentError) -> StartOptions {
        var options = options
        options.leavesDependencies = leavesDependencies
        options.keepsChanged = keepsChanged
        options.renewsAnonymousVolumes = renewsAnonymousVolumes
        options.replacesAll = replacesServices || (replacesDependencies && !options.services.isEmpty)
        options.spared = try handle.spared(
            besides: options.services, replacesServices: replacesServices, replacesDependencies: replacesDependencies)
        return options
    }
}
