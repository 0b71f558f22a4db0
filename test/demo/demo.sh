#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The main job, for real, on this host alone: a registry on loopback stands in for
# the one on the internet, everything else is what a user has. Nothing of the flow
# knows that this is a demo. Ends with a check that nothing is left.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD dir=$PWD/demo
bin=$root/bin/clusterctl
parts=${CLUSTERCTL_PARTS:-${XDG_CACHE_HOME:-$HOME/.cache}/clusterctl-parts}

run() { printf '\n$ %s\n' "$*"; "$@"; }

rm -rf "$dir"
mkdir -p "$dir"
(cd test/tools/parts && go build -o "$dir/parts" .)

"$dir/parts" serve --tools test/tools --cache "$parts" --addr 127.0.0.1:0 --ready-file "$dir/registry" >"$dir/registry.log" 2>&1 &
registry=$!
trap 'kill "$registry" 2>/dev/null || true; wait "$registry" 2>/dev/null || true' EXIT
for _ in $(seq 1 100); do [ -s "$dir/registry" ] && break; sleep 0.1; done
"$dir/parts" config --tools test/tools --cache "$parts" --registry "$(cat "$dir/registry")" --out "$dir/clusterctl.yaml"

# What a user would have in ~/.config/cluster-api and in the environment.
export CLUSTERCTL_CONFIG_HOME=$dir CLUSTERCTL_STATE_HOME=$dir/state
export KUBEBUILDER_ASSETS=$parts/kube/v1.34.4
unset KUBECONFIG
cd "$dir"

run "$bin" create cluster demo --bootstrap local --infrastructure docker --flavor in-memory \
	--control-plane-machine-count 1 --worker-machine-count 2
echo
echo "Nodes of the cluster, through demo.kubeconfig:"
(cd "$root" && go run ./test/demo/nodes "$dir/demo.kubeconfig" 3)
run "$bin" get bootstraps
run "$bin" delete cluster demo --yes

echo
left=$(find "$dir/state" -type f 2>/dev/null | head; pgrep -f "$dir/state" || true)
[ -e demo.kubeconfig ] && left="$left demo.kubeconfig"
[ -z "${left// /}" ] || { echo "left behind: $left"; exit 1; }
echo "Nothing is left: no process, no state, no kubeconfig."
