#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A bootstrap cluster by hand, for comparison: what a person who knows all of it beforehand would
# write down for one machine. byhand.sh FOLDER does what "clusterctl create bootstrap" and "clusterctl init" do,
# with what was prepared in FOLDER before: certificates, kubeconfigs, the components of the four providers
# with their webhooks by URL, objects to try the webhooks with, and "vars" with folders and free ports.
#
# It says when each stage is done, and "ready" at the end; then it stops everything when its input ends.
set -euo pipefail
cd "$1"
. ./vars # KUBE, MANAGERS, DATA and the ports
mkdir -p "$DATA"

pids=()
stop() {
	for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
		kill "${pids[i]}" 2>/dev/null || true
		wait "${pids[i]}" 2>/dev/null || true
	done
}
trap stop EXIT
trap 'exit 1' TERM INT
start() { # NAME COMMAND...: in the background, with a log
	"${@:2}" >"$DATA/$1.log" 2>&1 &
	pids+=($!)
}
kubectl() { "$KUBE/kubectl" --kubeconfig admin.kubeconfig "$@"; }
until_ok() { # COMMAND...
	until "$@" >"$DATA/last" 2>&1; do
		for pid in "${pids[@]}"; do kill -0 "$pid" || { tail -n 3 "$DATA"/*.log >&2; exit 1; }; done
		sleep 0.1
	done
}
answers() { # PORT: /readyz says ok
	exec 3<>"/dev/tcp/127.0.0.1/$1" && printf 'GET /readyz HTTP/1.0\r\n\r\n' >&3 && grep -q '200 OK' <&3
}

start etcd "$KUBE/etcd" --name=bootstrap --data-dir="$DATA/etcd" --log-level=warn \
	--listen-client-urls="https://127.0.0.1:$ETCD" --advertise-client-urls="https://127.0.0.1:$ETCD" \
	--listen-peer-urls="https://127.0.0.1:$PEER" --initial-advertise-peer-urls="https://127.0.0.1:$PEER" \
	--initial-cluster="bootstrap=https://127.0.0.1:$PEER" \
	--client-cert-auth --trusted-ca-file=ca.crt --cert-file=server.crt --key-file=server.key \
	--peer-client-cert-auth --peer-trusted-ca-file=ca.crt --peer-cert-file=server.crt --peer-key-file=server.key
start kube-apiserver "$KUBE/kube-apiserver" --bind-address=127.0.0.1 --advertise-address=127.0.0.1 --secure-port="$API" \
	--etcd-servers="https://127.0.0.1:$ETCD" --etcd-cafile=ca.crt --etcd-certfile=admin.crt --etcd-keyfile=admin.key \
	--client-ca-file=ca.crt --anonymous-auth=false --authorization-mode=RBAC \
	--tls-cert-file=server.crt --tls-private-key-file=server.key \
	--service-account-issuer=https://kubernetes.default.svc.cluster.local \
	--service-account-key-file=server.key --service-account-signing-key-file=server.key \
	--service-cluster-ip-range=10.0.0.0/16 --allow-privileged=true --profiling=false \
	--disable-admission-plugins=ServiceAccount --endpoint-reconciler-type=none
until_ok kubectl get --raw /readyz
start kube-controller-manager "$KUBE/kube-controller-manager" --kubeconfig=admin.kubeconfig --leader-elect=false \
	--controllers=garbage-collector-controller,namespace-controller,clusterrole-aggregation-controller \
	--bind-address=127.0.0.1 --secure-port="$KCM" --tls-cert-file=server.crt --tls-private-key-file=server.key --profiling=false
echo control-plane

kubectl apply --server-side -f components.yaml >"$DATA/apply.log"
kubectl wait --for=condition=Established --timeout=60s crd --all >"$DATA/crds.log"
echo applied

manager() { # NAME PROGRAM NAMESPACE WEBHOOK-PORT HEALTH-PORT DIAGNOSTICS-PORT FLAGS...
	POD_NAMESPACE=$3 POD_NAME=$1 POD_UID=$1 POD_IP=127.0.0.1 start "$1" "$MANAGERS/$2" --kubeconfig=admin.kubeconfig \
		--leader-elect=false --webhook-port="$4" --webhook-cert-dir=webhooks --health-addr="127.0.0.1:$5" \
		--diagnostics-address="127.0.0.1:$6" --insecure-diagnostics=false "${@:7}"
}
manager core core-manager capi-system $CORE \
	--feature-gates=MachinePool=true,ClusterTopology=false,RuntimeSDK=false,MachineSetPreflightChecks=true,PriorityQueue=true,ReconcilerRateLimiting=true
manager bootstrap kubeadm-bootstrap-manager capi-kubeadm-bootstrap-system $BOOTSTRAP \
	--feature-gates=MachinePool=true,PriorityQueue=true,ReconcilerRateLimiting=true --bootstrap-token-ttl=15m
manager control-plane kubeadm-control-plane-manager capi-kubeadm-control-plane-system $CONTROL_PLANE \
	--feature-gates=MachinePool=true,ClusterTopology=false,PriorityQueue=true,ReconcilerRateLimiting=true
manager docker capd-manager capd-system $DOCKER \
	--feature-gates=MachinePool=true,ClusterTopology=false,PriorityQueue=true,ReconcilerRateLimiting=true
for ports in "$CORE" "$BOOTSTRAP" "$CONTROL_PLANE" "$DOCKER"; do
	read -r _ health _ <<<"$ports"
	until_ok answers "$health"
done
until_ok kubectl create --dry-run=server -f probes.yaml
echo ready
read -r _ || true
