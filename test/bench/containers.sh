#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# From nothing to a self-managed cluster of containers by hand, for comparison: what upstream's documentation has a person type, as a
# script without pauses. containers.sh FOLDER works with what was prepared in FOLDER: "vars" with the programs and names, a kind
# configuration.
#
# It says when each stage is done.
set -euo pipefail
cd "$1"
. ./vars # CONFIG KIND KUBECTL CLUSTERCTL IMAGES NODE_IMAGE VERSION CNI
export CLUSTERCTL_DISABLE_VERSIONCHECK=true
clusterctl() { "$CLUSTERCTL" --config "$CONFIG" "$@" >>log 2>&1; }
boot() { "$KUBECTL" --kubeconfig boot.kubeconfig "$@" >>log 2>&1; }
prod() { "$KUBECTL" --kubeconfig prod.kubeconfig "$@" >>log 2>&1; }
trap 'tail -n 15 log >&2' ERR

"$KIND" create cluster --name byhand --image "$NODE_IMAGE" --config kind.yaml --kubeconfig boot.kubeconfig --wait 60s >>log 2>&1
"$KIND" load docker-image --name byhand $IMAGES >>log 2>&1
echo bootstrap

clusterctl init --kubeconfig boot.kubeconfig --infrastructure docker --wait-providers
echo providers

"$CLUSTERCTL" --config "$CONFIG" generate cluster prod --kubeconfig boot.kubeconfig --infrastructure docker \
	--kubernetes-version "$VERSION" --control-plane-machine-count 1 --worker-machine-count 1 >prod.yaml 2>>log
boot apply -f prod.yaml
boot wait cluster prod --for=condition=ControlPlaneInitialized --timeout=5m
"$CLUSTERCTL" get kubeconfig prod --kubeconfig boot.kubeconfig >prod.kubeconfig 2>>log
prod apply -f "$CNI"
boot wait cluster prod --for=condition=Available --timeout=5m
echo cluster

clusterctl init --kubeconfig prod.kubeconfig --infrastructure docker --wait-providers
clusterctl move --kubeconfig boot.kubeconfig --to-kubeconfig prod.kubeconfig
prod wait cluster prod --for=condition=Available --timeout=5m
echo pivot

docker exec byhand-control-plane cat /var/log/kubernetes/audit.log >boot-audit.log # To count requests; takes no time.
"$KIND" delete cluster --name byhand --kubeconfig boot.kubeconfig >>log 2>&1
echo done
