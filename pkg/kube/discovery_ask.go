// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"mime"
	"slices"
	"sync"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// Client-go's discovery would do, but it links the types of all of Kubernetes' API groups in, which doubles this program.

// acceptDiscovery asks for aggregated discovery, which Kubernetes 1.26 and newer have: kinds come along with the groups. Its two
// versions read the same; the parameters' order is fixed.
const acceptDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"

// parallelDiscovery is how many group versions are asked for at once where each has to be asked for.
const parallelDiscovery = 10

// ask makes two requests at servers with aggregated discovery, else one a group version more.
func ask(ctx context.Context, client rest.Interface) (*snapshot, error) {
	core, coreComplete, err := askRoot(ctx, client, "/api")
	if apierrors.IsNotFound(err) { // an API server may have no core group
		coreComplete = true
	} else if err != nil {
		return nil, err
	}
	named, namedComplete, err := askRoot(ctx, client, "/apis")
	if err != nil {
		return nil, err
	}
	found := append(core, named...)
	if !coreComplete || !namedComplete {
		askVersions(ctx, client, found)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return newSnapshot(found), nil
}

// groupVersion is one version of an API group as discovery tells of it; versions come in the server's order, the preferred one first.
type groupVersion struct {
	schema.GroupVersion
	kinds *metav1.APIResourceList
	// err is why its kinds aren't known.
	err error
}

// askRoot reads the groups below /api or /apis; complete says that their kinds came along.
func askRoot(ctx context.Context, client rest.Interface, path string) (found []groupVersion, complete bool, err error) {
	var contentType string
	data, err := client.Get().AbsPath(path).SetHeader("Accept", acceptDiscovery).Do(ctx).ContentType(&contentType).Raw()
	if err != nil {
		return nil, false, err
	}
	if _, params, err := mime.ParseMediaType(contentType); err == nil && params["as"] == "APIGroupDiscoveryList" {
		found, err := aggregated(data)
		return found, true, err
	}
	if path == "/api" {
		var v metav1.APIVersions
		if err := unmarshal(data, &v); err != nil {
			return nil, false, err
		}
		for _, version := range v.Versions {
			found = append(found, groupVersion{GroupVersion: schema.GroupVersion{Version: version}})
		}
		return found, false, nil
	}
	var list metav1.APIGroupList
	if err := unmarshal(data, &list); err != nil {
		return nil, false, err
	}
	for _, g := range list.Groups {
		found = append(found, versionsOf(g)...)
	}
	return found, false, nil
}

// versionsOf are a group's, the preferred one first.
func versionsOf(g metav1.APIGroup) []groupVersion {
	var found []groupVersion
	for _, v := range g.Versions {
		gv := groupVersion{GroupVersion: schema.GroupVersion{Group: g.Name, Version: v.Version}}
		if v.Version == g.PreferredVersion.Version {
			found = slices.Insert(found, 0, gv)
		} else {
			found = append(found, gv)
		}
	}
	return found
}

// aggregated reads groups that have their kinds with them.
func aggregated(data []byte) ([]groupVersion, error) {
	var list apidiscovery.APIGroupDiscoveryList
	if err := unmarshal(data, &list); err != nil {
		return nil, err
	}
	var found []groupVersion
	for _, g := range list.Items {
		for _, v := range g.Versions {
			gv := schema.GroupVersion{Group: g.Name, Version: v.Version}
			if v.Freshness == apidiscovery.DiscoveryFreshnessStale {
				found = append(found, groupVersion{GroupVersion: gv, err: fmt.Errorf("the server's last list of %s is out of date", gv)})
				continue
			}
			found = append(found, groupVersion{GroupVersion: gv, kinds: kindsOf(gv, v.Resources)})
		}
	}
	return found, nil
}

// kindsOf leaves subresources and what has no kind out.
func kindsOf(gv schema.GroupVersion, resources []apidiscovery.APIResourceDiscovery) *metav1.APIResourceList {
	out := &metav1.APIResourceList{GroupVersion: gv.String()}
	for _, r := range resources {
		if r.ResponseKind != nil && r.ResponseKind.Kind != "" {
			out.APIResources = append(out.APIResources, metav1.APIResource{
				Name: r.Resource, Kind: r.ResponseKind.Kind, Namespaced: r.Scope == apidiscovery.ScopeNamespace, Verbs: r.Verbs,
			})
		}
	}
	return out
}

// askVersions asks for the kinds of each group version by itself.
func askVersions(ctx context.Context, client rest.Interface, found []groupVersion) {
	var wait sync.WaitGroup
	room := make(chan struct{}, parallelDiscovery)
	for i := range found {
		gv := &found[i]
		if gv.kinds != nil {
			continue
		}
		room <- struct{}{}
		wait.Go(func() {
			gv.kinds, gv.err = askVersion(ctx, client, gv.GroupVersion)
			<-room
		})
	}
	wait.Wait()
}

// askVersion asks for the kinds of one group version.
func askVersion(ctx context.Context, client rest.Interface, gv schema.GroupVersion) (*metav1.APIResourceList, error) {
	path := "/apis/" + gv.String()
	if gv.Group == "" {
		path = "/api/" + gv.String()
	}
	data, err := client.Get().AbsPath(path).Do(ctx).Raw()
	if err != nil {
		return nil, err
	}
	list := &metav1.APIResourceList{}
	if err := unmarshal(data, list); err != nil {
		return nil, err
	}
	return list, nil
}
