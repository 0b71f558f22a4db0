// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"strings"
	"testing"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

func TestRESTConfig(t *testing.T) {
	t.Parallel()
	config, err := demo(t).RESTConfig()
	if err != nil || config.Host != "https://10.0.0.1:6443" || config.BearerToken != "s3cret" {
		t.Fatalf("got %+v, %v", config, err)
	}
	moved, err := demo(t).Rewrite(RewriteOptions{Server: "127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	if config, err = moved.RESTConfig(); err != nil || config.ServerName != "10.0.0.1" || config.Insecure {
		t.Errorf("got %+v, %v", config, err)
	}
	refused := map[string]string{
		"exec":             "    exec: {apiVersion: client.authentication.k8s.io/v1, command: rm, interactiveMode: Never}\n",
		"auth provider":    "    auth-provider: {name: oidc}\n",
		"token file":       "    tokenFile: /etc/shadow\n",
		"certificate file": "    client-certificate: /etc/a\n    client-key: /etc/b\n",
		"key file":         "    client-certificate-data: YQ==\n    client-key: /etc/b\n",
		"ca file":          "",
	}
	for name, user := range refused {
		text := withUser(user)
		if name == "ca file" {
			text = strings.Replace(withUser("    token: x\n"), "    server:", "    certificate-authority: /etc/ca\n    server:", 1)
		}
		if _, err := mustParse(t, text).RESTConfig(); fault.CodeOf(err) != fault.Refused {
			t.Errorf("%s: got %v", name, err)
		}
	}
	empty := withUser("    client-certificate-data: YQ==\n    client-key-data: c2VjcmV0\n")
	if _, err := mustParse(t, empty).RESTConfig(); err != nil && strings.Contains(err.Error(), "c2VjcmV0") {
		t.Errorf("tells the secret: %v", err)
	}
}
