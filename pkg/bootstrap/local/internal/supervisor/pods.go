// SPDX-License-Identifier: Apache-2.0

package supervisor

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/internal/pods"
	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/image"
)

// kubelet runs the Deployments of one API server as processes.
type kubelet struct {
	*supervisor
	client *pods.Client
	images image.Store
	// done waits for all Deployments' processes to be gone.
	done sync.WaitGroup

	mu   sync.Mutex
	pods map[string]*podWorker
}

// pods runs Deployments until ctx ends, and begins anew when the API server has moved.
func (s *supervisor) pods(ctx context.Context) {
	for ctx.Err() == nil {
		stop := start(ctx, func(ctx context.Context) {
			if err := s.kubelet(ctx); err != nil {
				s.logger.Printf("run providers: %v", err)
			}
			<-ctx.Done()
		})
		select {
		case <-ctx.Done():
		case <-s.relocated:
		}
		stop()
	}
}

// kubelet watches Deployments and runs them; when it returns none runs.
func (s *supervisor) kubelet(ctx context.Context) error {
	client, endpoint, err := s.client()
	if err != nil {
		return err
	}
	if !s.complete(ctx, endpoint) {
		return nil
	}
	if err := s.renewServing(ctx, client); err != nil {
		s.logger.Printf("renew webhook certificates: %v", err)
	}
	k := &kubelet{
		supervisor: s, client: client, pods: map[string]*podWorker{},
		images: image.Store{Dir: s.config.Images, Keychain: authn.DefaultKeychain},
	}
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: client.WatchDeployments(),
		ObjectType:    &appsv1.Deployment{},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { k.set(ctx, obj) },
			UpdateFunc: func(_, obj any) { k.set(ctx, obj) },
			DeleteFunc: k.remove,
		},
	})
	informer.RunWithContext(ctx)
	k.done.Wait()
	return nil
}

// client is the admin's, and the API server's address.
func (s *supervisor) client() (*pods.Client, string, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", s.dir.Kubeconfig())
	if err != nil {
		return nil, "", err
	}
	cfg.QPS, cfg.Burst = 100, 200
	client, err := pods.New(cfg)
	return client, cfg.Host, err
}

// connect makes the Deployments of an earlier run say that nothing of them runs yet,
// before anybody is told that the cluster is back and believes what they said then.
func (s *supervisor) connect(ctx context.Context) error {
	client, _, err := s.client()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.StartTimeout)
	defer cancel()
	list, err := client.Deployments(ctx)
	if err != nil {
		return fmt.Errorf("list Deployments: %w", err)
	}
	for i := range list {
		w := newPodWorker(&kubelet{supervisor: s, client: client}, "", nil)
		if d := &list[i]; replicas(d) > 0 {
			if err := w.publish(ctx, d, nil); err != nil {
				return fmt.Errorf("reset status of Deployment %s/%s: %w", d.Namespace, d.Name, err)
			}
		}
	}
	return nil
}

// complete waits until the API server has made all of its default objects.
func (s *supervisor) complete(ctx context.Context, endpoint string) bool {
	for s.probes.apiserver(endpoint, completePath)(ctx) != nil {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(probeFast):
		}
	}
	return ctx.Err() == nil
}

// set gives a Deployment's worker its latest version; the first time it starts the worker.
func (k *kubelet) set(ctx context.Context, obj any) {
	d, ok := obj.(*appsv1.Deployment)
	if !ok || ctx.Err() != nil {
		return
	}
	key := d.Namespace + "/" + d.Name
	k.mu.Lock()
	defer k.mu.Unlock()
	w, ok := k.pods[key]
	if ok && !w.ended() {
		w.give(d)
		return
	}
	w = newPodWorker(k, key, w)
	w.give(d)
	k.pods[key] = w
	k.done.Go(func() { w.run(ctx) })
}

func (k *kubelet) remove(obj any) {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if w, ok := k.pods[key]; ok {
		w.give(nil)
	}
}
