// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSpecification(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"--root /r --log /l create --bundle /b --pid-file /p id": "/b/config.json",
		"run -b /b id": "/b/config.json",
		"create id":    "config.json",
		"--root /r exec --process /tmp/process id": "/tmp/process",
		"exec --process=/tmp/process id":           "/tmp/process",
		"exec id sh":                               "",
		"--root /r delete id":                      "",
		"--version":                                "",
	} {
		if got := specification(strings.Fields(line)); got != want {
			t.Errorf("specification(%q) = %q, want %q", line, got, want)
		}
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, data, want string }{
		{
			"of a container",
			`{"ociVersion":"1","process":{"capabilities":{"bounding":["CAP_CHOWN","CAP_SYS_RESOURCE"],"effective":["CAP_CHOWN"]},"limit":9223372036854775807}}`,
			`{"ociVersion":"1","process":{"capabilities":{"bounding":["CAP_CHOWN"],"effective":["CAP_CHOWN"]},"limit":9223372036854775807}}`,
		},
		{"of a process", `{"args":["a"],"capabilities":{"bounding":["CAP_SYS_RESOURCE"]}}`, `{"args":["a"],"capabilities":{"bounding":[]}}`},
		{"nothing to take out", `{"process":{"capabilities":{"bounding":["CAP_CHOWN"]}}}`, ""},
		{"no capabilities", `{"process":{}}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := without([]byte(test.data))
			if err != nil || string(got) != test.want {
				t.Errorf("without() = %s, %v, want %s", got, err, test.want)
			}
			if test.want != "" && !json.Valid(got) {
				t.Error("not JSON any more")
			}
		})
	}
	if _, err := without([]byte("{")); err == nil {
		t.Error("without() of half a file: no error")
	}
}
