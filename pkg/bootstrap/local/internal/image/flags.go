// SPDX-License-Identifier: Apache-2.0

package image

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/bootstrap/local/internal/layout"
)

// Flags are the flags that a program knows, with their defaults ("" where none is shown).
type Flags map[string]string

// Has says whether the program knows a flag.
func (f Flags) Has(name string) bool {
	_, ok := f[name]
	return ok
}

// Flags asks a program of the image for its flags: run starts argv with --help added and returns
// what it printed. The answer is kept with the image.
func (i *Image) Flags(ctx context.Context, argv []string, run func(ctx context.Context, argv []string) ([]byte, error)) (Flags, error) {
	sum := sha256.Sum256([]byte(strings.Join(argv, "\x00")))
	file := filepath.Join(i.dir, "flags-"+hex.EncodeToString(sum[:8])+".json")
	var known Flags
	if err := layout.ReadJSON(file, &known); err == nil {
		return known, nil
	}
	out, err := run(ctx, append(append([]string(nil), argv...), "--help"))
	if err != nil {
		return nil, err
	}
	known = ParseHelp(string(out))
	return known, layout.WriteJSON(file, known)
}

var (
	// flagLine matches the first line of a flag in what Go's flag and pflag packages print as help.
	flagLine = regexp.MustCompile(`^ {1,8}(?:-[A-Za-z0-9], )?--?([A-Za-z0-9][\w.-]*)(?:$|[ \t=])`)
	// flagDefault matches the default that both print at the end.
	flagDefault = regexp.MustCompile(`\(default (?:"([^"]*)"|([^)]*))\)\s*$`)
)

// ParseHelp reads a help text as Go's flag and pflag packages, and cobra, print it.
func ParseHelp(text string) Flags {
	flags := Flags{}
	current := ""
	for _, line := range strings.Split(text, "\n") {
		if m := flagLine.FindStringSubmatch(line); m != nil {
			current = m[1]
			flags[current] = ""
		}
		if current == "" {
			continue
		}
		if m := flagDefault.FindStringSubmatch(line); m != nil {
			flags[current] = m[1] + m[2]
		}
	}
	return flags
}
