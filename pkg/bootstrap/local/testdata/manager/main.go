// SPDX-License-Identifier: Apache-2.0

// The manager stands in for a provider in tests: it has the flags that providers have, serves
// a webhook and health endpoints, and tells on request how it was started.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "Path of a kubeconfig.")
	port := flag.Int("webhook-port", 9443, "Webhook server port.")
	certs := flag.String("webhook-cert-dir", "/tmp/k8s-webhook-server/serving-certs/", "Webhook cert dir.")
	health := flag.String("health-addr", ":9440", "The address the health endpoint binds to.")
	diagnostics := flag.String("diagnostics-address", ":8443", "The address of diagnostics.")
	leader := flag.Bool("leader-elect", false, "Enable leader election.")
	flag.Parse()

	if message := os.Getenv("FAIL"); message != "" {
		fmt.Fprintln(os.Stderr, "Error: "+message)
		os.Exit(3)
	}
	if *leader {
		fmt.Fprintln(os.Stderr, "Error: unable to find leader election namespace")
		os.Exit(1)
	}
	report := map[string]any{
		"args": os.Args, "env": os.Environ(), "kubeconfig": *kubeconfig, "certs": *certs,
		"port": *port, "health": *health, "diagnostics": *diagnostics, "pid": os.Getpid(),
	}
	go serveHealth(*health, report)
	go serveWebhook(*port, *certs)
	fmt.Println("manager is up")

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	<-stop
	if os.Getenv("STUBBORN") != "" {
		select {}
	}
	fmt.Println("manager ends in order")
}

func serveHealth(addr string, report map[string]any) {
	mux := http.NewServeMux()
	began := time.Now()
	mux.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if time.Since(began) < 200*time.Millisecond {
			http.Error(w, "[-]warmup failed: reason withheld", http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("/report", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(report) })
	fmt.Println(http.ListenAndServe(addr, mux))
}

// serveWebhook refuses objects whose name begins with "refused".
func serveWebhook(port int, certs string) {
	mux := http.NewServeMux()
	mux.HandleFunc("/validate", func(w http.ResponseWriter, r *http.Request) {
		var review struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
			Request    struct {
				UID  string `json:"uid"`
				Name string `json:"name"`
			} `json:"request"`
		}
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"apiVersion": review.APIVersion, "kind": review.Kind,
			"response": map[string]any{
				"uid": review.Request.UID, "allowed": !strings.HasPrefix(review.Request.Name, "refused"),
				"status": map[string]any{"message": "the manager refuses it"},
			},
		})
	})
	server := &http.Server{Addr: fmt.Sprintf("127.0.0.1:%d", port), Handler: mux}
	fmt.Println(server.ListenAndServeTLS(filepath.Join(certs, "tls.crt"), filepath.Join(certs, "tls.key")))
}
