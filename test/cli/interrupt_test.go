// SPDX-License-Identifier: Apache-2.0

//go:build linux

package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// silentServer takes connections and never answers, so that whoever asks it waits. asked is closed at the first one.
func silentServer(t *testing.T) (kubeconfig string, asked <-chan struct{}) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	first := make(chan struct{})
	var once sync.Once
	var conns []net.Conn
	served := make(chan struct{})
	go func() {
		defer close(served)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, c)
			once.Do(func() { close(first) })
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-served
		for _, c := range conns {
			_ = c.Close()
		}
	})
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{name: c, cluster: {server: 'http://%s'}}]\ncontexts: [{name: a, context: {cluster: c}}]\n", l.Addr())
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return kubeconfig, first
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			kubeconfig, asked := silentServer(t)
			var out, errOut bytes.Buffer
			cmd := program(t, "get", "kubeconfig", "demo", "--wait", "--kubeconfig", kubeconfig)
			cmd.Stdout, cmd.Stderr = &out, &errOut
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			select {
			case <-asked:
			case <-time.After(time.Minute):
				t.Error("it never asked the server")
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
				t.Errorf("ends with %v, want exit code 130", err)
			}
			said := errOut.String()
			if out.Len() > 0 || !strings.Contains(said, "stopping at the next safe point") || !strings.Contains(said, "hint: ") || strings.Contains(said, "context canceled") {
				t.Errorf("standard output %q, standard error\n%s", out.String(), said)
			}
		})
	}
}

// program is the program as a process, with an environment of its own.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	link := filepath.Join(t.TempDir(), "clusterctl") // this test binary is the program by its name, see TestMain
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), link, args...)
	cmd.Env = []string{"HOME=" + t.TempDir(), "TERM=xterm", "LANG=C.UTF-8"}
	return cmd
}

func TestCtrlCOnATerminalBringsTheCursorBack(t *testing.T) {
	t.Parallel()
	kubeconfig, asked := silentServer(t)
	screen, tty := openTerminal(t)
	cmd := program(t, "get", "kubeconfig", "demo", "--wait", "--kubeconfig", kubeconfig)
	wait := start(t, cmd, screen, tty)
	select {
	case <-asked:
	case <-time.After(time.Minute):
		t.Error("it never asked the server")
	}
	if _, err := screen.WriteString("\x03"); err != nil { // what the key sends
		t.Fatal(err)
	}
	seen, code := wait()
	if code != 130 || !strings.Contains(seen, "stopping at the next safe point") {
		t.Errorf("exit code %d, sees %q", code, seen)
	}
	if strings.LastIndex(seen, "\x1b[?25l") > strings.LastIndex(seen, "\x1b[?25h") {
		t.Errorf("the cursor is hidden at the end: %q", seen)
	}
}

// Whoever reads the output may go away: that is no error worth a word, and the work isn't cut off by a signal.
func TestReaderGoesAway(t *testing.T) {
	t.Parallel()
	cmd := program(t, "completion", "bash")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = read.Close()
	var errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = write, &errOut
	err = cmd.Run()
	_ = write.Close()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || errOut.Len() > 0 {
		t.Errorf("ends with %v and says %q", err, errOut.String())
	}
}
