// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Write is one request that wanted to change something, as the audit log has it.
type Write struct {
	// Verb is create, update, patch, delete or deletecollection.
	Verb string
	// Group, Resource, Subresource, Namespace and Name are what it was about.
	Group, Resource, Subresource, Namespace, Name string
	// Code is the HTTP status of the answer.
	Code int
	// DryRun says that nothing was to be stored.
	DryRun bool
	// UserAgent is who asked.
	UserAgent string
}

// String gives one line: "patch deployments.apps/status default/web 200", with " dry-run" at the end for one.
func (w Write) String() string {
	res := w.Resource
	if w.Group != "" {
		res += "." + w.Group
	}
	if w.Subresource != "" {
		res += "/" + w.Subresource
	}
	name := w.Name
	if w.Namespace != "" {
		name = w.Namespace + "/" + w.Name
	}
	s := fmt.Sprintf("%s %s %s %d", w.Verb, res, name, w.Code)
	if w.DryRun {
		s += " dry-run"
	}
	return s
}

// Writes returns the writes so far, oldest first, of clients whose user agent matches the
// regular expression, one line each (see [Write]). Reviews (SelfSubjectAccessReview and the like) aren't counted.
func (e *Env) Writes(tb testing.TB, userAgent string) []string {
	tb.Helper()
	var out []string
	for _, w := range e.Audit(tb, userAgent) {
		out = append(out, w.String())
	}
	return out
}

// Audit is Writes with the parts of each.
func (e *Env) Audit(tb testing.TB, userAgent string) []Write {
	tb.Helper()
	re := regexp.MustCompile(userAgent)
	var out []Write
	lines := bufio.NewScanner(bytes.NewReader(e.settledLog(tb)))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		w, err := parseAudit(lines.Bytes())
		if err != nil {
			tb.Fatalf("read audit log: %v", err)
		}
		if re.MatchString(w.UserAgent) && !strings.HasSuffix(w.Resource, "reviews") {
			out = append(out, w)
		}
	}
	return out
}

// settledLog reads the log when it has stopped growing: an event is written just after the answer was sent.
func (e *Env) settledLog(tb testing.TB) []byte {
	tb.Helper()
	var last []byte
	for range 50 {
		data, err := os.ReadFile(e.AuditLog)
		if err != nil {
			tb.Fatalf("read audit log: %v", err)
		}
		if last != nil && len(data) == len(last) && bytes.HasSuffix(data, []byte("\n")) {
			return data
		}
		last = data
		time.Sleep(60 * time.Millisecond)
	}
	return last
}

func parseAudit(line []byte) (Write, error) {
	var ev struct {
		Verb, UserAgent, RequestURI string
		ObjectRef                   struct{ APIGroup, Resource, Subresource, Namespace, Name string }
		ResponseStatus              struct{ Code int }
	}
	if err := json.Unmarshal(line, &ev); err != nil {
		return Write{}, err
	}
	return Write{
		Verb: ev.Verb, Group: ev.ObjectRef.APIGroup, Resource: ev.ObjectRef.Resource, Subresource: ev.ObjectRef.Subresource,
		Namespace: ev.ObjectRef.Namespace, Name: ev.ObjectRef.Name, Code: ev.ResponseStatus.Code,
		DryRun: strings.Contains(ev.RequestURI, "dryRun="), UserAgent: ev.UserAgent,
	}, nil
}
