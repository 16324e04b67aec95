/// Compose projects that together set every key of the schema.
enum SchemaSamples {
    /// Files beside the projects, in `/p`.
    static let files = [
        "/p/a.env": "FROM_FILE=1\n", "/p/other.env": "OTHER=$FROM_FILE\n", "/p/labels": "from.file=1\n",
        "/p/file": "text\n",
        "/p/base.yml":
            "services: {base: {image: \"base:1\", tty: true}, other: {image: \"base:1\", read_only: true}}\n",
        "/p/.env": "ENV=value\n", "/p/part.yml": "services: {included: {image: \"part:1\"}}\n",
    ]

    /// One document a project.
    static let documents = """
        name: shown
        version: "3"
        include: [part.yml]
        x-free: 1
        services:
          a:
            image: x:1
            annotations: {n: v}
            attach: false
            blkio_config:
              weight: 300
              weight_device: [{path: /dev/sda, weight: 400}]
              device_read_bps: [{path: /dev/sda, rate: 12mb}]
              device_read_iops: [{path: /dev/sda, rate: 120}]
              device_write_bps: [{path: /dev/sda, rate: 12mb}]
              device_write_iops: [{path: /dev/sda, rate: 120}]
            cap_add: [SYS_TIME]
            cap_drop: [MKNOD]
            cgroup: host
            cgroup_parent: m
            command: [run]
            container_name: box
            cpu_count: 2
            cpu_percent: 50
            cpu_rt_period: 1400us
            cpu_rt_runtime: 400ms
            cpu_shares: 512
            cpus: 0.5
            cpuset: "0,1"
            device_cgroup_rules: ["c 1:3 mr"]
            devices: [{source: /dev/fuse, target: /dev/f, permissions: r}]
            dns: [9.9.9.9]
            dns_opt: ["ndots:2"]
            dns_search: [example.com]
            domainname: example
            hostname: box1
            entrypoint: [sh]
            env_file: [{path: a.env}, {path: absent.env, required: false}, {path: other.env, format: raw}]
            environment: {A: b}
            expose: ["81"]
            external_links: [redis_1]
            extra_hosts: ["h:10.0.0.1"]
            group_add: [10]
            healthcheck:
              {test: [CMD, "true"], interval: 7s, timeout: 3s, retries: 4, start_period: 20s, start_interval: 2s}
            init: true
            isolation: hyperv
            label_file: [labels]
            labels: {l: v}
            logging: {driver: syslog, options: {max-size: 10m}}
            mac_address: 02:42:ac:11:65:43
            mem_limit: 100m
            mem_reservation: 50m
            mem_swappiness: 10
            memswap_limit: 2g
            oom_kill_disable: true
            oom_score_adj: 500
            pids_limit: 10
            platform: linux/arm64
            post_start: [{command: [a], user: root, privileged: true, working_dir: /w, environment: [P=1]}]
            pre_stop: [{command: [b], user: root, privileged: true, working_dir: /w, environment: [P=1]}]
            pull_policy: never
            pull_refresh_after: 24h
            read_only: true
            runtime: runsc
            scale: 2
            security_opt: ["no-new-privileges:true"]
            shm_size: 64m
            stdin_open: true
            stop_grace_period: 3s
            stop_signal: SIGINT
            storage_opt: {size: 1G}
            sysctls: {net.ipv4.ip_unprivileged_port_start: 80}
            tmpfs: ["/scratch"]
            tty: true
            ulimits: {nofile: 1024, nproc: {soft: 10, hard: 20}}
            user: "1000:1000"
            userns_mode: host
            uts: host
            working_dir: /w
            x-free: 1
        ---
        services:
          a:
            image: x:1
            restart: "no"
            cpu_period: 20000
            cpu_quota: 50000
            privileged: true
            depends_on:
              b: {condition: service_healthy, restart: true}
              c: {condition: service_started, required: false}
            links: ["b:bee"]
          b: {image: "x:1", healthcheck: {test: [CMD, "true"]}}
          c: {image: "x:1", healthcheck: {test: [CMD, "true"], disable: true}}
          d: {image: "x:1", profiles: [never]}
        ---
        services:
          a: {image: "x:1", ipc: host, pid: host, network_mode: host}
          b: {image: "x:1", extends: {service: a}}
          c: {extends: {file: base.yml, service: base}}
        ---
        services:
          a:
            image: x:1
            ports:
              - {target: 90, published: "9090", host_ip: 10.0.0.9}
              - {target: 80, published: "8080", host_ip: 127.0.0.1, protocol: udp, app_protocol: http, name: web, mode: host}
            volumes:
              - {type: volume, source: v, target: /v, read_only: true, volume: {nocopy: true, labels: {a: b}, subpath: s}}
              - {type: tmpfs, target: /t, tmpfs: {size: 1m, mode: 0700}, consistency: cached}
              - {type: bind, source: ./file, target: /f, read_only: true}
              - {type: bind, source: ./absent, target: /g, bind: {create_host_path: false}}
              - {type: bind, source: /srv, target: /srv, bind: {propagation: rslave, selinux: z, recursive: disabled}}
              - {type: bind, source: /opt, target: /opt, bind: {create_host_path: false}}
              - {type: volume, source: w, target: /w, volume: {nocopy: true}}
          b: {image: "x:1", volumes_from: [a]}
        volumes:
          v: {driver: flocker, driver_opts: {a: b}, labels: {a: b}, name: real}
          w:
        ---
        services:
          a: {image: "x:1", volumes: [{type: volume, source: v, target: /v}, {type: volume, source: w, target: /w}]}
        volumes:
          v: {driver: local, driver_opts: {type: nfs, o: "addr=10.0.0.1", device: ":/x"}}
          w: {external: {name: there}}
        ---
        services:
          a: {image: "x:1", volumes: [{type: image, source: "data:1", target: /i, image: {subpath: s}}]}
        ---
        services:
          a:
            image: x:1
            networks:
              front:
                aliases: [other]
                driver_opts: {a: b}
                gw_priority: 1
                interface_name: eth7
                ipv4_address: 10.1.0.5
                ipv6_address: "fd00::5"
                link_local_ips: [169.254.1.1]
                mac_address: 02:42:ac:11:65:43
                priority: 5
              back:
        networks:
          front:
            attachable: true
            driver: macvlan
            driver_opts: {a: b}
            enable_ipv4: false
            enable_ipv6: true
            internal: true
            ipam:
              driver: custom
              options: {a: b}
              config: [{subnet: 10.1.0.0/16, ip_range: 10.1.1.0/24, gateway: 10.1.0.1, aux_addresses: {h: 10.1.0.9}}]
            labels: {a: b}
            name: real
          back: {external: {name: there}}
        ---
        services:
          a:
            image: x:1
            configs: [{source: c, target: /etc/c, uid: "1", gid: "2", mode: 0400}, n, x, y]
        configs:
          c: {file: ./file, labels: {a: b}}
          n: {content: text}
          x: {external: {name: there}}
          y: {external: true, name: here}
        ---
        services:
          a:
            image: x:1
            secrets: [{source: s, target: /s, uid: "1", gid: "2", mode: 0440}, x, y]
        secrets:
          s: {file: ./file, labels: {a: b}}
          x: {external: {name: there}}
          y: {external: true, name: here}
        ---
        services:
          a: {image: "x:1", configs: [e], secrets: [e]}
        configs: {e: {environment: ENV}}
        secrets: {e: {environment: ENV}}
        ---
        services:
          a: {image: "x:1", expose: ["80"], deploy: {mode: global}}
          b: {image: "x:1", expose: ["80"], deploy: {endpoint_mode: dnsrr}}
        ---
        services:
          a:
            image: x:1
            deploy:
              endpoint_mode: dnsrr
              labels: {a: b}
              mode: replicated
              placement: {constraints: [node.role==manager], preferences: [{spread: node.labels.zone}], max_replicas_per_node: 1}
              replicas: 4
              resources:
                limits: {cpus: "1", memory: 100m, pids: 10}
                reservations:
                  cpus: "0.5"
                  memory: 50m
                  generic_resources: [{discrete_resource_spec: {kind: ssd, value: 2}}]
                  devices: [{capabilities: [gpu], count: 2, driver: amd, options: {a: b}}]
              restart_policy: {condition: on-failure, delay: 5s, max_attempts: 3, window: 10s}
              rollback_config:
                {delay: 1s, failure_action: pause, max_failure_ratio: 0.1, monitor: 5s, order: start-first, parallelism: 2}
              update_config:
                {delay: 1s, failure_action: pause, max_failure_ratio: 0.1, monitor: 5s, order: start-first, parallelism: 2}
            develop:
              watch:
                - {path: ./x, action: sync+exec, target: /x, ignore: [a], include: [b], initial_sync: true,
                   exec: {command: c, environment: [A=b], privileged: true, user: u, working_dir: /w}}
            gpus: [{capabilities: [gpu], count: 1, driver: amd, options: {a: b}}]
          b: {image: "x:1", gpus: [{capabilities: [tpu], count: 1}]}
          c: {image: "x:1", deploy: {resources: {reservations: {devices: [{capabilities: [tpu], count: 1}]}}}}
          d: {image: "x:1", deploy: {replicas: 4, update_config: {order: start-first, parallelism: 2, delay: 5s}}}
        ---
        services:
          a:
            image: x:1
            deploy: {resources: {reservations: {devices: [{capabilities: [gpu], device_ids: ["0"]}]}}}
          b:
            image: x:1
            gpus: [{capabilities: [gpu], device_ids: ["0"]}]
        ---
        services:
          a:
            image: x:1
            credential_spec: {file: f.json}
            models: {m: {endpoint_var: URL, model_var: NAME}}
            provider: {type: cloud, options: {a: b}}
            use_api_socket: true
          b: {image: "x:1", credential_spec: {config: c}}
          c: {image: "x:1", credential_spec: {registry: r}}
        models: {m: {model: ai/m}}
        configs: {t: {content: a, template_driver: golang}}
        secrets: {t: {file: ./file, template_driver: golang}, d: {driver: vault, driver_opts: {a: b}}}
        ---
        services:
          a:
            build:
              additional_contexts: {more: ../more}
              args: {A: b}
              cache_from: ["cache:1"]
              cache_to: ["type=local,dest=/c"]
              context: .
              dockerfile: File
              entitlements: [network.host]
              extra_hosts: ["h:10.0.0.1"]
              isolation: hyperv
              labels: {a: b}
              network: host
              no_cache: true
              platforms: [linux/amd64, linux/arm64]
              privileged: true
              provenance: "true"
              pull: true
              sbom: "true"
              secrets: [{source: s, target: t, uid: "1", gid: "2", mode: 0400}]
              shm_size: 64m
              ssh: [default]
              tags: ["more:1"]
              target: stage
              ulimits: {nofile: 1024, nproc: {soft: 10, hard: 20}}
          b: {build: {context: ., dockerfile_inline: "FROM x"}}
        secrets: {s: {file: ./file}}

        """
}
