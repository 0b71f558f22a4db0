// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

func isRemote(s string) bool {
	return strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")
}

// location makes a URL of the configuration usable: http(s) URLs stay as they are, everything else becomes an
// absolute path. Paths are taken literally, not as URLs: "%20" in one is no space.
func location(text, base, home string) (string, error) {
	switch {
	case isRemote(text):
		u, err := url.Parse(text)
		if err != nil {
			return "", errors.New("not a valid URL")
		}
		if u.Host == "" {
			return "", fmt.Errorf("%s: the host is missing", shown(u))
		}
		return text, nil
	case strings.HasPrefix(text, "file://"):
		u, err := url.Parse(text)
		if err != nil || (u.Host != "" && u.Host != "localhost") {
			return "", fmt.Errorf("%q: a file URL has three slashes: file:///path", text)
		}
		return localPath(u.Path, base, home)
	case strings.Contains(text, "://"):
		scheme, _, _ := strings.Cut(text, "://")
		return "", fmt.Errorf("scheme %q can't be used: there are https://, http://, file:// and plain paths", scheme)
	}
	return localPath(text, base, home)
}

// localPath makes a path absolute; base is where relative ones start, empty if nothing is known.
func localPath(p, base, home string) (string, error) {
	p = filepath.FromSlash(p)
	if runtime.GOOS == "windows" && regexp.MustCompile(`^\\[A-Za-z]:`).MatchString(p) {
		p = p[1:] // "/C:/repo" is how a URL writes "C:\repo"
	}
	if rest, ok := strings.CutPrefix(p, "~"+string(filepath.Separator)); ok && home != "" {
		p = filepath.Join(home, rest)
	}
	switch {
	case filepath.IsAbs(p):
		return filepath.Clean(p), nil
	case base == "":
		return "", fmt.Errorf("path %q must be absolute: there is no configuration file that it could be relative to", p)
	}
	return filepath.Join(base, p), nil
}

// shown is a URL as people may see it: without password and query, which can hold tokens.
func shown(u *url.URL) string {
	v := *u
	v.RawQuery = ""
	return v.Redacted()
}

func shownString(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "the URL"
	}
	return shown(u)
}
