// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"context"
	"errors"
	"io"
	"net/http"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var errSoon = errors.New("not yet")

type MissingVariablesError struct{ Variables []Variable }

func (e *MissingVariablesError) Error() string { return "missing" }

type ReadOptions struct {
	Stdin  io.Reader
	Client *http.Client
}

func Parse(src Source) ([]Object, error) { return nil, errSoon }
func Check(objs []Object) error { return errSoon }
func Variables(src Source, lookup Lookup) ([]Variable, error) { return nil, errSoon }
func Render(src Source, lookup Lookup) (Source, error) { return src, errSoon }
func RenderAll(srcs []Source, lookup Lookup) ([]Source, error) { return nil, errSoon }
func ReadFiles(ctx context.Context, paths []string, opts ReadOptions) ([]Source, error) { return nil, errSoon }
func ToYAML(objs []*unstructured.Unstructured) ([]byte, error) { return nil, errSoon }
func Waves(objs []*unstructured.Unstructured) [][]*unstructured.Unstructured { return nil }
func SetNamespace(objs []*unstructured.Unstructured, ns string) error { return errSoon }
func Images(objs []*unstructured.Unstructured) []string { return nil }
func MapImages(objs []*unstructured.Unstructured, f func(image string) (string, error)) error { return errSoon }
