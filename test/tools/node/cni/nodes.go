// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// account is where a pod finds its service account.
const account = "/var/run/secrets/kubernetes.io/serviceaccount/"

// node is what is needed of a Node.
type node struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		PodCIDR string `json:"podCIDR"`
	} `json:"spec"`
	Status struct {
		Addresses []struct {
			Type    string `json:"type"`
			Address string `json:"address"`
		} `json:"addresses"`
	} `json:"status"`
}

// client trusts the cluster's certificate authority only.
var client = sync.OnceValues(func() (*http.Client, error) {
	authority, err := os.ReadFile(account + "ca.crt")
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority) {
		return nil, errors.New("no certificate authority in the service account")
	}
	return &http.Client{
		Timeout:   10 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}},
	}, nil
})

// listNodes lists the nodes of the cluster that this pod runs in.
func listNodes(ctx context.Context) ([]node, error) {
	caller, err := client()
	if err != nil {
		return nil, err
	}
	token, err := os.ReadFile(account + "token")
	if err != nil {
		return nil, err
	}
	host := net.JoinHostPort(os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT"))
	// The version 0 is answered from memory.
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+host+"/api/v1/nodes?resourceVersion=0", nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+string(token))
	response, err := caller.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("list nodes: %s", response.Status)
	}
	var list struct {
		Items []node `json:"items"`
	}
	err = json.NewDecoder(response.Body).Decode(&list)
	return list.Items, err
}
