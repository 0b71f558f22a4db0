// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
)

const crowd = 20

// allThere proves that every merge survived and that each but the first made a backup.
func allThere(t *testing.T, path string, n int) {
	t.Helper()
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		name := fmt.Sprintf("c%d", i)
		if config.Clusters[name] == nil || config.AuthInfos[name+"-admin"] == nil || config.Contexts[name+"-admin@"+name] == nil {
			t.Errorf("lost %s", name)
		}
	}
	if got := len(backups(t, path)); got != n-1 {
		t.Errorf("%d backups, want %d", got, n-1)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*.tmp-*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestMergeManyGoroutines(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	var wg sync.WaitGroup
	for i := range crowd {
		wg.Go(func() {
			name := fmt.Sprintf("c%d", i)
			k, err := Parse([]byte(sample(name, "https://"+name, name)))
			if err == nil {
				_, err = Merge(t.Context(), k, MergeOptions{Path: path})
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	wg.Wait()
	allThere(t, path, crowd)
}

func TestMergeManyProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	var wg sync.WaitGroup
	for i := range crowd {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=c%d", helperCluster, i), helperPath+"="+path)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("c%d: %v: %s", i, err, out)
			}
		})
	}
	wg.Wait()
	allThere(t, path, crowd)
}

// TestMergeKilled kills runs at all moments: the file is the old or the new one each time, and no lock stays.
func TestMergeKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	write(t, path, existing, 0o600)
	for i := range 12 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=c%d", helperCluster, i), helperPath+"="+path, helperForever+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(30 * time.Second); !strings.Contains(read(t, path), fmt.Sprintf("name: c%d-0\n", i)) && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(i) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		config, err := clientcmd.LoadFromFile(path)
		if err != nil || config.Contexts["home"] == nil || config.Clusters["work"] == nil || config.Clusters[fmt.Sprintf("c%d", i)] == nil {
			t.Fatalf("after kill %d: %v\n%s", i, err, read(t, path))
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := Merge(ctx, demo(t), MergeOptions{Path: path}); err != nil {
		t.Error(err)
	}
}

// notes collects what is said.
func notes() (event.Sink, func() string) {
	var mu sync.Mutex
	var said []string
	sink := event.Func(func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, string(e.Kind)+": "+e.Message)
	})
	return sink, func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(said, "\n")
	}
}

func TestMergeWaitsForAnother(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	held := flock.New(filepath.Join(filepath.Dir(path), ".config.clusterctl.lock"))
	if got, err := held.TryLock(); err != nil || !got {
		t.Fatal(got, err)
	}
	sink, said := notes()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := Merge(ctx, demo(t), MergeOptions{Path: path, Sink: sink}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while it is held: got %v", err)
	}
	if !strings.Contains(said(), "waiting for another clusterctl") {
		t.Errorf("said %q", said())
	}
	time.AfterFunc(200*time.Millisecond, func() { _ = held.Close() })
	if _, err := Merge(t.Context(), demo(t), MergeOptions{Path: path}); err != nil {
		t.Error(err)
	}
}

func TestMergeWaitsForKubectl(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		age     time.Duration
		release time.Duration // 0 = never
		code    fault.Code
		says    string
	}{
		{"released soon", 0, 200 * time.Millisecond, 0, "note: waiting for kubectl"},
		{"never released", 0, 0, fault.Refused, "note: waiting for kubectl"},
		{"left behind", time.Hour, 0, 0, "warn: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "config")
			write(t, path+".lock", "", 0)
			then := time.Now().Add(-tt.age)
			if err := os.Chtimes(path+".lock", then, then); err != nil {
				t.Fatal(err)
			}
			if tt.release > 0 {
				time.AfterFunc(tt.release, func() { _ = os.Remove(path + ".lock") })
			}
			sink, said := notes()
			_, err := Merge(t.Context(), demo(t), MergeOptions{Path: path, Sink: sink})
			if fault.CodeOf(err) != tt.code {
				t.Errorf("got %v", err)
			}
			if !strings.Contains(said(), tt.says) {
				t.Errorf("said %q, want %q", said(), tt.says)
			}
			if _, err := os.Stat(path); (err == nil) != (tt.code == 0) {
				t.Errorf("file: %v", err)
			}
		})
	}
}

// kubectl is kept out while we write, and let in afterwards; what a killed run of ours left is no obstacle to the next.
func TestMergeTakesKubectlsLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, link := filepath.Join(dir, "config"), filepath.Join(dir, "link")
	write(t, path, existing, 0o600)
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, lock := range []string{link + ".lock", path + ".lock"} {
		if err := makeLock(lock); err != nil {
			t.Fatal(err)
		}
	}
	seen := 0
	_, err := Merge(t.Context(), demo(t), MergeOptions{Path: link, Now: func() time.Time { // it is asked in the middle
		for _, lock := range []string{link + ".lock", path + ".lock"} {
			if since, by := lockHolder(lock); by == us && time.Since(since) < time.Minute {
				seen++
			}
		}
		return time.Now()
	}})
	if err != nil || seen != 2 {
		t.Errorf("%d locks while it wrote, want 2; %v", seen, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "[cl]*.lock")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestMergeBesideKubectl lets client-go's own writer change the file all the time. It reads before it locks, so it can
// undo what was merged meanwhile; but nothing that was there before may ever get lost.
func TestMergeBesideKubectl(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	write(t, path, existing, 0o600)
	done, merged := make(chan struct{}), make(chan struct{})
	written := 0
	go func() {
		defer close(done)
		access := clientcmd.NewDefaultPathOptions()
		access.LoadingRules.ExplicitPath = path
		for i := 0; ; i++ {
			select {
			case <-merged:
				return
			default:
			}
			config, err := access.GetStartingConfig()
			if err != nil {
				continue
			}
			config.CurrentContext = []string{"home", "work"}[i%2]
			if clientcmd.ModifyConfig(access, *config, false) == nil {
				written++
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	for i := range 50 {
		name := fmt.Sprintf("c%d", i)
		_, err := Merge(t.Context(), mustParse(t, sample(name, "https://"+name, name)), MergeOptions{Path: path})
		if err != nil && !strings.Contains(err.Error(), "keeps changing it") {
			t.Errorf("%s: %v", name, err)
		}
		time.Sleep(10 * time.Millisecond) // kubectl gives up where it finds a lock: let it have a turn
	}
	close(merged)
	<-done
	config, err := clientcmd.LoadFromFile(path)
	if err != nil || written == 0 {
		t.Fatalf("%d writes, %v", written, err)
	}
	if config.Contexts["home"] == nil || config.Clusters["work"] == nil || config.AuthInfos["me"] == nil {
		t.Errorf("lost what was there: %s", read(t, path))
	}
}
