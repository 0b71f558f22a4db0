module github.com/clusterctl/clusterctl/test/tools/capi

go 1.26.8

require (
	sigs.k8s.io/cluster-api v1.14.2 // indirect
	sigs.k8s.io/cluster-api/api v1.14.2 // indirect
	sigs.k8s.io/cluster-api/test v1.14.2 // indirect
)
