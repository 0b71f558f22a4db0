// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"sync"
	"time"
)

// keeper starts a program again when it exits. kube-controller-manager does that while its API server is down or slow.
type keeper struct {
	start func() (*process, error)

	mu      sync.Mutex
	current *process
	stopped chan struct{}
	done    chan struct{}
}

func (k *keeper) run() error {
	p, err := k.start()
	if err != nil {
		return err
	}
	k.current, k.stopped, k.done = p, make(chan struct{}), make(chan struct{})
	go k.keep()
	return nil
}

func (k *keeper) keep() {
	defer close(k.done)
	for {
		select {
		case <-k.stopped:
			return
		case <-k.process().exited:
		}
		select {
		case <-k.stopped:
			return
		case <-time.After(300 * time.Millisecond):
		}
		if p, err := k.start(); err == nil {
			k.mu.Lock()
			k.current = p
			k.mu.Unlock()
		}
	}
}

func (k *keeper) process() *process {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.current
}

func (k *keeper) stop() {
	if k == nil || k.stopped == nil {
		return
	}
	close(k.stopped)
	<-k.done
	k.process().stop()
}
