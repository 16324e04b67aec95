/// What a workspace takes of each public example, and what is named as not taken; `!` before what is refused.
enum DevcontainerExamples {
    static let all = """
        images/: image setup | features
        images/anaconda: build | features remoteUser
        images/base-alpine: build | features remoteUser
        images/base-debian: build | features remoteUser
        images/base-ubuntu: build | features remoteUser
        images/cpp: build | features capAdd securityOpt remoteUser
        images/dotnet: build | features remoteUser
        images/go: build | features runArgs remoteUser
        images/java-8: build | features remoteUser
        images/java: build environment | features remoteUser
        images/javascript-node: build | features remoteUser
        images/jekyll: build setup | features remoteUser
        images/miniconda: build | features remoteUser
        images/php: build | features overrideFeatureInstallOrder remoteUser
        images/python: build | features remoteUser
        images/ruby: build | features remoteUser
        images/rust: build | features remoteUser
        images/typescript-node: build | features remoteUser
        images/universal: build | features overrideFeatureInstallOrder remoteUser containerUser
        templates/: image setup | features
        templates/alpine: image | -
        templates/anaconda-postgres: build compose environment services | workspaceFolder app.volumes app.command app.network_mode
        templates/anaconda: build | -
        templates/cpp-mariadb: build compose environment services | workspaceFolder app.volumes app.command app.network_mode
        templates/cpp: build | -
        templates/debian: image | -
        templates/docker-existing-docker-compose: - | workspaceFolder your-service-name-here.volumes your-service-name-here.command
        templates/docker-existing-dockerfile: build | -
        templates/docker-in-docker: image | features
        templates/docker-outside-of-docker-compose: build | workspaceFolder remoteEnv.LOCAL_WORKSPACE_FOLDER features app.volumes app.entrypoint app.command
        templates/docker-outside-of-docker: image | features remoteEnv.LOCAL_WORKSPACE_FOLDER
        templates/dotnet-fsharp: image | -
        templates/dotnet-mssql: build compose services setup | workspaceFolder app.volumes app.command app.network_mode
        templates/dotnet-postgres: build compose services | workspaceFolder app.volumes app.command app.network_mode
        templates/dotnet: image | -
        templates/go-postgres: build compose environment services | workspaceFolder app.volumes app.command app.network_mode
        templates/go: image | -
        templates/java-postgres: build compose environment services | workspaceFolder app.volumes app.command app.networks
        templates/java: image | features
        templates/javascript-node-mongo: build compose services | workspaceFolder app.volumes app.command app.network_mode
        templates/javascript-node-postgres: build compose services | workspaceFolder app.volumes app.command app.networks
        templates/javascript-node: image | -
        templates/jekyll: image | -
        templates/kubernetes-helm-minikube: image | features
        templates/kubernetes-helm: environment image | features !initializeCommand !mounts
        templates/markdown: image | -
        templates/miniconda-postgres: build compose environment services | workspaceFolder app.volumes app.command app.network_mode
        templates/miniconda: build | -
        templates/php-mariadb: build compose ports services | workspaceFolder app.volumes app.command app.network_mode
        templates/php: image ports | -
        templates/postgres: build compose services | workspaceFolder app.volumes app.command app.network_mode
        templates/powershell: image setup | features
        templates/python: image | -
        templates/ruby-rails-postgres: build compose environment services | workspaceFolder app.volumes app.command app.networks
        templates/ruby: image | -
        templates/rust-postgres: build compose environment services | workspaceFolder app.volumes app.command app.network_mode
        templates/rust: image | -
        templates/typescript-node: image | -
        templates/ubuntu: image | -
        templates/universal: image | -
        """
}
