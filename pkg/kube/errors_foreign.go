// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// ErrNotKubernetes says that what answers at the server's address is no API server.
var ErrNotKubernetes = errors.New("not an API server")

// explainFirst is explain for the requests that every API server answers, the first ones of a connection: there, an answer
// without a Status means that the address leads to something else. Later such answers have many causes.
func (c *Client) explainFirst(err error) error {
	answer, code := unexpectedAnswer(err)
	switch {
	case strings.Contains(answer, "HTTP request to an HTTPS server"):
		return fault.WithHint(&explained{text: fmt.Sprintf("no trusted connection to %s: it speaks TLS", c.Host()), is: []error{ErrTLS, err}},
			"write https:// in front of the server's address in the kubeconfig")
	case code == http.StatusBadRequest, code == http.StatusNotFound, code == http.StatusMethodNotAllowed:
		return fault.WithHint(&explained{text: fmt.Sprintf("%s is not a Kubernetes API server: it answers with HTTP status %d", c.Host(), code), is: []error{ErrNotKubernetes, err}},
			"check address, port and path of the server in the kubeconfig")
	}
	return c.explain(err)
}

// unexpectedAnswer is the text and the status of an answer that isn't in the API's own form; zero for any other error.
func unexpectedAnswer(err error) (text string, code int) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return "", 0
	}
	for _, cause := range status.Status().Details.Causes {
		if cause.Type == metav1.CauseTypeUnexpectedServerResponse {
			return cause.Message, statusCode(err)
		}
	}
	return "", 0
}
