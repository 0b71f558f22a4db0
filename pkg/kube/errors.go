// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// The errors of a connection. What fails is always worded in full; these are for errors.Is.
var (
	// ErrUnreachable says that nobody answers at the server's address.
	ErrUnreachable = errors.New("server can't be reached")
	// ErrTLS says that server and client don't trust each other's certificates.
	ErrTLS = errors.New("no trust in the certificate")
	// ErrUnauthorized says that the server doesn't accept the credentials, or that there are none to be had.
	ErrUnauthorized = errors.New("credentials not accepted")
	// ErrForbidden says that the credentials are fine but the right is missing.
	ErrForbidden = errors.New("right is missing")
	// ErrNoKind says that the server doesn't serve a kind, or not in that version.
	ErrNoKind = errors.New("kind isn't served")
)

// explained is an error worded for people that still is what it was.
type explained struct {
	text string
	is   []error
}

// Error returns the text for people.
func (e *explained) Error() string { return e.text }

// Unwrap returns the sentinel and the original error.
func (e *explained) Unwrap() []error { return e.is }

// explain rewords errors that the server, the network or client-go put badly.
func (c *Client) explain(err error) error {
	var done *explained
	switch {
	case err == nil || errors.As(err, &done) || errors.Is(err, context.Canceled):
		return err
	case strings.Contains(err.Error(), "would exceed context deadline"): // of the rate limiter, which has no type for it
		return &explained{text: "no time left for another request", is: []error{context.DeadlineExceeded, err}}
	case apierrors.IsUnauthorized(err):
		return c.unauthorized(err)
	case isMissingRight(err):
		err = &explained{text: err.Error(), is: []error{ErrForbidden, err}}
		return fault.WithHint(err, "ask for that right, or use credentials that have it")
	case apierrors.ReasonForError(err) != "":
		return err
	}
	return c.connection(err)
}

// explainf is explain with what was being done: "get Cluster team-a/heron: cause". A nil err stays nil.
func (c *Client) explainf(err error, verb string, gvk schema.GroupVersionKind, ns, name string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", verb, objectText(gvk.Kind, ns, name), c.explain(err))
}

// objectText is how messages name an object: "Cluster team-a/heron", "Namespace team-a", "Clusters" without a name.
func objectText(kind, ns, name string) string {
	switch {
	case name == "" && ns == "":
		return kind + " objects"
	case name == "":
		return kind + " objects in namespace " + ns
	case ns == "":
		return kind + " " + name
	}
	return kind + " " + ns + "/" + name
}

// isMissingRight tells a refusal by authorization from one by admission, which has the same status.
func isMissingRight(err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), " cannot ")
}

func (c *Client) unauthorized(err error) error {
	text := fmt.Sprintf("%s doesn't accept the credentials", c.Host())
	hint := "log in again, or check that the kubeconfig belongs to this server"
	if end, ok := certificateEnd(c.config.TLSClientConfig); ok {
		text = fmt.Sprintf("%s doesn't accept the client certificate: it expired on %s", c.Host(), end.UTC().Format("2006-01-02 15:04 MST"))
		hint = "get a new kubeconfig for this cluster"
	}
	return fault.WithHint(&explained{text: text, is: []error{ErrUnauthorized, err}}, "%s", hint)
}

// noKind says that a kind isn't served, which versions are, and whether its group can't be asked at the moment.
func (s *snapshot) noKind(host string, gk schema.GroupKind, versions []string) error {
	text := fmt.Sprintf("%s doesn't serve %s", host, gk)
	if served := s.served(gk); len(served) > 0 {
		text = fmt.Sprintf("%s doesn't serve %s in version %s, only in %s", host, gk, strings.Join(versions, ", "), strings.Join(served, ", "))
	}
	for gv, cause := range s.failed {
		if gv.Group == gk.Group && (len(versions) == 0 || slices.Contains(versions, gv.Version)) {
			text = fmt.Sprintf("API group %s is registered at %s, but its server doesn't answer: %v", gv, host, cause)
			return fault.WithHint(&explained{text: text, is: []error{ErrNoKind, cause}},
				"see 'kubectl get apiservice %s.%s'", gv.Version, gv.Group)
		}
	}
	return &explained{text: text, is: []error{ErrNoKind}}
}

// statusCode is the HTTP status of an API server's answer, 0 for any other error.
func statusCode(err error) int {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return 0
	}
	if code := status.Status().Code; code != 0 {
		return int(code)
	}
	return http.StatusInternalServerError
}
