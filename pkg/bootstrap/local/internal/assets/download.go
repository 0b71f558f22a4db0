// SPDX-License-Identifier: Apache-2.0

package assets

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// ErrChecksum says that what was downloaded isn't what the release page says.
var ErrChecksum = errors.New("checksum mismatch")

const (
	// maxProgram and maxSums bound what a wrong server can make us write.
	maxProgram = 1 << 30
	maxSums    = 1 << 20
	// headerTimeout ends the wait for a server that accepts and says nothing.
	headerTimeout = 30 * time.Second
)

// download fetches one program to path: complete and checked, or not at all.
func download(ctx context.Context, r Request, name, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+name+"-*")
	if err != nil {
		return err
	}
	defer func() {
		_ = tmp.Close()
		_ = os.Remove(tmp.Name())
	}()
	if name == Etcd {
		err = fetchEtcd(ctx, r.Downloads.etcd(), tmp)
	} else {
		err = fetchProgram(ctx, r.Downloads.kubernetes()+"/"+r.Version+"/bin/linux/"+runtime.GOARCH+"/"+name, tmp)
	}
	if err != nil {
		return fmt.Errorf("download %s: %w", name, err)
	}
	if err := errors.Join(tmp.Chmod(0o755), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

func fetchProgram(ctx context.Context, url string, w io.Writer) error {
	sum, err := fetchSum(ctx, url+".sha256", "")
	if err != nil {
		return err
	}
	body, err := get(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	digest := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w, digest), io.LimitReader(body, maxProgram)); err != nil {
		return fmt.Errorf("get %s: %w", url, err)
	}
	return check(url, digest, sum)
}

// fetchEtcd writes the etcd program out of its release archive; all of the archive is read, for its checksum.
func fetchEtcd(ctx context.Context, base string, w io.Writer) error {
	archive := "etcd-" + EtcdVersion + "-linux-" + runtime.GOARCH
	url := base + "/" + EtcdVersion + "/" + archive + ".tar.gz"
	sum, err := fetchSum(ctx, base+"/"+EtcdVersion+"/SHA256SUMS", archive+".tar.gz")
	if err != nil {
		return err
	}
	body, err := get(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	digest := sha256.New()
	all := io.TeeReader(io.LimitReader(body, maxProgram), digest)
	extractErr := extract(all, archive+"/etcd", w)
	if _, err := io.Copy(io.Discard, all); err != nil {
		return fmt.Errorf("get %s: %w", url, err)
	}
	if err := check(url, digest, sum); err != nil {
		return err // Before extractErr: a cut archive is both, and this says it better.
	}
	return extractErr
}

func extract(r io.Reader, name string, w io.Writer) error {
	zr, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("read archive: %w", err)
	}
	tr := tar.NewReader(zr)
	for {
		h, err := tr.Next()
		if err != nil {
			return fmt.Errorf("read archive for %s: %w", name, err)
		}
		if h.Name == name && h.Typeflag == tar.TypeReg {
			_, err := io.Copy(w, io.LimitReader(tr, maxProgram))
			return err
		}
	}
}

// fetchSum reads a checksum file: the line of file, or the only word if file is empty.
func fetchSum(ctx context.Context, url, file string) (string, error) {
	body, err := get(ctx, url)
	if err != nil {
		return "", err
	}
	defer func() { _ = body.Close() }()
	lines := bufio.NewScanner(io.LimitReader(body, maxSums))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || len(fields[0]) != sha256.Size*2 {
			continue
		}
		if file == "" || len(fields) == 2 && strings.TrimPrefix(fields[1], "*") == file {
			return strings.ToLower(fields[0]), nil
		}
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("get %s: %w", url, err)
	}
	return "", fmt.Errorf("get %s: no SHA-256 checksum in it", url)
}

func check(url string, digest hash.Hash, want string) error {
	got := hex.EncodeToString(digest.Sum(nil))
	if got == want {
		return nil
	}
	return fault.WithHint(fmt.Errorf("get %s: %w: it has SHA-256 %s, the release page says %s", url, ErrChecksum, got, want),
		"nothing was kept; try again, or see whether a proxy changes downloads")
}

func get(ctx context.Context, url string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "clusterctl")
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = headerTimeout
	transport.DisableKeepAlives = true // A handful of requests; no connection stays behind.
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("get %s: %s", url, resp.Status)
	}
	return resp.Body, nil
}
