#!/bin/sh
# Builds the image of the orchestrator from the so that runs this: scripts/install puts so, so-agent and so-egress side by side.
#   SO_CONTAINER_ENGINE, SO_CONTAINER_TAG, SO_EXTRA_BUILD_ARGS: of `so build-containers`
#   SO_PREFIX: where so is installed, such as /usr/local; else where the so on the PATH is
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
engine=${SO_CONTAINER_ENGINE:-podman}
tag=${SO_CONTAINER_TAG:-so/orchestrator:local}
prefix=${SO_PREFIX:-}
if [ -z "$prefix" ]; then
    so=$(command -v so) || {
        echo "so/orchestrator: so is not on the PATH; install it with scripts/install, or set SO_PREFIX" >&2
        exit 1
    }
    prefix=$(dirname -- "$(dirname -- "$(readlink -f -- "$so")")")
fi
[ -d "$prefix/share/so" ] || {
    echo "so/orchestrator: $prefix/share/so is missing; install so with scripts/install" >&2
    exit 1
}
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT INT TERM
mkdir -p "$context/bin" "$context/share"
for program in so so-agent so-egress; do
    [ -x "$prefix/bin/$program" ] || {
        echo "so/orchestrator: $prefix/bin/$program is missing; install so with scripts/install" >&2
        exit 1
    }
    cp "$prefix/bin/$program" "$context/bin/$program"
done
cp -R "$prefix/share/so" "$context/share/so"
cp "$here/Containerfile" "$context/Containerfile"
# shellcheck disable=SC2086 # several arguments are meant
"$engine" build ${SO_EXTRA_BUILD_ARGS-} -t "$tag" -f "$context/Containerfile" "$context"
