// SPDX-License-Identifier: Apache-2.0

package ui_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// buffer is safe for the view's goroutine and the test.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// story is a run as a flow would tell it: steps that work, wait, are skipped and fail.
func story(v *ui.View) {
	event.Startf(v, "preflight", "Check the machine and the input")
	time.Sleep(400 * time.Millisecond)
	event.Donef(v, "preflight", "4 providers, 1 cluster")
	event.Startf(v, "bootstrap", "Bootstrap cluster demo (local)")
	event.Skipf(v, "bootstrap", "already runs")
	event.Warnf(v, "the API server says:\n  v1alpha3 is deprecated")
	event.Startf(v, "wait-control-plane", "Wait for the control plane of demo")
	time.Sleep(2 * time.Second)
	event.Progressf(v, "wait-control-plane", "Machine demo-cp-x7f2: waiting for IP")
	_, _ = fmt.Fprintln(v, "level=v4 msg=request url=https://127.0.0.1:6443/version")
	for range 3 {
		time.Sleep(200 * time.Millisecond)
		event.Progressf(v, "wait-control-plane", "Machine demo-cp-x7f2: waiting for IP")
	}
	event.Startf(v, "addons", "Apply addons")
	event.Progressf(v, "addons", "1 of 3 objects")
	event.Progressf(v, "addons", "2 of 3 objects")
	time.Sleep(65 * time.Second)
	event.Donef(v, "addons", "")
	event.Notef(v, "how to use it: %s", "kubectl --kubeconfig demo.kubeconfig get nodes")
	event.Failf(v, "wait-control-plane", "not finished after 1m: Machine demo-cp-x7f2: waiting for IP")
	v.Close()
}

func TestViewTellsTheStory(t *testing.T) {
	cases := []struct {
		name    string
		options ui.ViewOptions
	}{
		{"plain", ui.ViewOptions{Mode: ui.ProgressPlain, Live: true}},
		{"not-a-terminal", ui.ViewOptions{}},
		{"plain-color", ui.ViewOptions{Mode: ui.ProgressPlain, Color: true}},
		{"json", ui.ViewOptions{Mode: ui.ProgressJSON, Live: true}},
		{"none", ui.ViewOptions{Mode: ui.ProgressNone, Live: true}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out buffer
				c.options.Out, c.options.Location = &out, time.UTC
				story(ui.NewView(c.options))
				golden(t, "story-"+c.name+".txt", out.String())
				if strings.Contains(out.String(), "\r") || !c.options.Color && strings.Contains(out.String(), "\x1b") {
					t.Error("has control sequences")
				}
			})
		})
	}
}

// TestReasonsThatComeAndGo, as of webhooks that are asked one after the other, don't flood a log: each is told once in a heartbeat.
func TestReasonsThatComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out buffer
		v := ui.NewView(ui.ViewOptions{Mode: ui.ProgressPlain, Out: &out, Location: time.UTC})
		event.Startf(v, "providers", "Install the providers")
		for i := range 40 { // 60 s
			event.Progressf(v, "providers", "webhook %d doesn't answer", i%3)
			time.Sleep(1500 * time.Millisecond)
		}
		event.Progressf(v, "providers", "a new reason")
		time.Sleep(1500 * time.Millisecond)
		event.Donef(v, "providers", "")
		v.Close()
		for text, want := range map[string]int{"webhook 0": 2, "webhook 1": 2, "webhook 2": 2, "a new reason": 1} {
			if n := strings.Count(out.String(), text); n != want {
				t.Errorf("%q is told %d times, want %d:\n%s", text, n, want, out.String())
			}
		}
	})
}

// What a terminal shows at the end, and in between, is what matters of the live view, not its control sequences.
func TestLiveViewOnAScreen(t *testing.T) {
	cases := []struct {
		name    string
		width   int
		options ui.ViewOptions
	}{
		{"utf8", 100, ui.ViewOptions{UTF8: true}},
		{"ascii", 100, ui.ViewOptions{}},
		{"narrow", 40, ui.ViewOptions{UTF8: true}},
		{"color", 100, ui.ViewOptions{UTF8: true, Color: true}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScreen(c.width)
				c.options.Out, c.options.Live, c.options.Size = s, true, s.Size
				v := ui.NewView(c.options)
				during := make(chan string, 1)
				go func() {
					time.Sleep(30*time.Second + 50*time.Millisecond) // between two frames
					during <- s.String()
				}()
				story(v)
				golden(t, "live-"+c.name+".txt", "--- after 30 seconds\n"+<-during+"--- at the end\n"+s.String())
				if s.hidden {
					t.Error("the cursor is still hidden")
				}
			})
		})
	}
}

func TestLiveViewSurvivesResize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScreen(100)
		v := ui.NewView(ui.ViewOptions{Out: s, Live: true, UTF8: true, Size: s.Size})
		event.Startf(v, "a", "First step with a title that is long enough to be wrapped on a small terminal")
		event.Startf(v, "b", "Second step")
		time.Sleep(time.Second + 50*time.Millisecond) // from here on all of it is between two frames
		s.Resize(30)
		time.Sleep(time.Second)
		event.Donef(v, "a", "")
		time.Sleep(time.Second)
		s.Resize(90)
		time.Sleep(time.Second)
		event.Donef(v, "b", "")
		v.Close()
		if got := s.String(); strings.Count(got, "Second step") != 1 || strings.Count(got, "First step") != 1 {
			t.Errorf("lines are left over or lost:\n%s", got)
		}
	})
}

func TestLiveViewWithMoreStepsThanRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScreen(80)
		s.height = 6
		v := ui.NewView(ui.ViewOptions{Out: s, Live: true, UTF8: true, Size: s.Size})
		for i := range 20 {
			event.Startf(v, fmt.Sprint(i), "Step number %d", i)
		}
		time.Sleep(time.Second)
		if got := s.String(); !strings.Contains(got, "more") {
			t.Errorf("doesn't say that there are more:\n%s", got)
		}
		for i := range 20 {
			event.Donef(v, fmt.Sprint(i), "")
		}
		v.Close()
		for i := range 20 {
			if got := strings.Count(s.String(), fmt.Sprintf("Step number %d ", i)); got != 1 {
				t.Errorf("step %d is shown %d times:\n%s", i, got, s.String())
			}
		}
	})
}

func TestPauseLeavesTheScreenAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScreen(80)
		v := ui.NewView(ui.ViewOptions{Out: s, Live: true, Size: s.Size})
		event.Startf(v, "a", "Step")
		time.Sleep(time.Second)
		resume := v.Pause()
		fmt.Fprint(s, "Sure? [y/N] ")
		time.Sleep(10 * time.Second)
		if got := s.String(); got != "Sure? [y/N]\n" || s.hidden {
			t.Errorf("while paused the screen has %q", got)
		}
		fmt.Fprint(s, "\r\n")
		resume()
		time.Sleep(time.Second)
		if got := s.String(); !strings.Contains(got, "Step") {
			t.Errorf("after the pause the screen has %q", got)
		}
		v.Close()
	})
}

func TestViewIsSafeForConcurrentUse(t *testing.T) {
	var out buffer
	v := ui.NewView(ui.ViewOptions{Out: &out, Live: true})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				step := fmt.Sprintf("%d-%d", i, j)
				event.Startf(v, step, "Step %s", step)
				event.Progressf(v, step, "goes on")
				_, _ = fmt.Fprintf(v, "log %s\n", step)
				event.Donef(v, step, "")
			}
		})
	}
	wg.Wait()
	v.Close()
	v.Close()
	event.Notef(v, "late")
	if got := strings.Count(out.String(), "log "); got != 400 {
		t.Errorf("%d log lines, want 400", got)
	}
}

func TestLogLineWithoutEndIsShownAtClose(t *testing.T) {
	var out buffer
	v := ui.NewView(ui.ViewOptions{Out: &out})
	_, _ = fmt.Fprint(v, "half a ")
	_, _ = fmt.Fprint(v, "line")
	if out.String() != "" {
		t.Errorf("shown too early: %q", out.String())
	}
	v.Close()
	if out.String() != "half a line\n" {
		t.Errorf("got %q", out.String())
	}
	_, _ = fmt.Fprintln(v, "after the end")
	if !strings.HasSuffix(out.String(), "after the end\n") {
		t.Errorf("a log line after Close is lost: %q", out.String())
	}
}
