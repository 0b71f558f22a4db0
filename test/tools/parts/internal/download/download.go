// SPDX-License-Identifier: Apache-2.0

// Package download gets official release binaries and checks them.
package download

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// ErrUnavailable is returned where a download can't be had: the host can't be
// reached, or doesn't have the file. Another way may work.
var ErrUnavailable = errors.New("download not available")

// How long to wait for a host that doesn't answer, and for a whole file.
const (
	connectTimeout = 5 * time.Second
	answerTimeout  = 10 * time.Second
	fileTimeout    = 5 * time.Minute
)

// Client downloads. It remembers that a host couldn't be reached and fails
// at once afterwards. It is for one run, and for one goroutine.
type Client struct {
	http        *http.Client
	unreachable map[string]error
}

// NewClient returns a client that honours the proxy variables of the environment.
func NewClient() *Client {
	return &Client{
		unreachable: map[string]error{},
		http: &http.Client{Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: connectTimeout}).DialContext,
			TLSHandshakeTimeout:   connectTimeout,
			ResponseHeaderTimeout: answerTimeout,
			ForceAttemptHTTP2:     true,
		}},
	}
}

// Checked writes what url holds to the file out, after comparing it with the
// SHA-256 that url + ".sha256" holds. A file with another checksum is an error
// of its own, not ErrUnavailable: nobody should build around that unseen.
func (c *Client) Checked(ctx context.Context, url, out string) error {
	ctx, cancel := context.WithTimeout(ctx, fileTimeout)
	defer cancel()
	want, err := c.checksum(ctx, url+".sha256")
	if err != nil {
		return err
	}
	body, err := c.get(ctx, url)
	if err != nil {
		return err
	}
	defer body.Close()
	got, err := save(body, out)
	if err != nil {
		return errors.Join(ErrUnavailable, fmt.Errorf("get %s: %w", url, err))
	}
	if got != want {
		_ = os.Remove(out)
		return fmt.Errorf("checksum mismatch: %s has sha256 %s, its .sha256 file says %s (--no-download builds from modules)", url, got, want)
	}
	return nil
}

func (c *Client) checksum(ctx context.Context, url string) (string, error) {
	body, err := c.get(ctx, url)
	if err != nil {
		return "", err
	}
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, 1024))
	if err != nil {
		return "", errors.Join(ErrUnavailable, fmt.Errorf("get %s: %w", url, err))
	}
	// Some .sha256 files hold the file's name after the sum.
	fields := strings.Fields(string(data))
	if len(fields) == 0 || len(fields[0]) != hex.EncodedLen(sha256.Size) {
		return "", fmt.Errorf("%w: %s holds no SHA-256", ErrUnavailable, url)
	}
	return strings.ToLower(fields[0]), nil
}

func (c *Client) get(ctx context.Context, url string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	host := request.URL.Host
	if err := c.unreachable[host]; err != nil {
		return nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		err = errors.Join(ErrUnavailable, err)
		c.unreachable[host] = err
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, fmt.Errorf("%w: get %s: %s", ErrUnavailable, url, response.Status)
	}
	return response.Body, nil
}

// save writes body to the file out as an executable and returns its SHA-256.
func save(body io.Reader, out string) (string, error) {
	file, err := os.OpenFile(out, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(file, sum), body)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return hex.EncodeToString(sum.Sum(nil)), err
}
