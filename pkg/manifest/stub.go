// SPDX-License-Identifier: Apache-2.0

package manifest

import "errors"

var errSoon = errors.New("not yet")

type MissingVariablesError struct{ Variables []Variable }

func (e *MissingVariablesError) Error() string { return "missing" }

func Variables(src Source, lookup Lookup) ([]Variable, error)  { return nil, errSoon }
func Render(src Source, lookup Lookup) (Source, error)         { return src, errSoon }
func RenderAll(srcs []Source, lookup Lookup) ([]Source, error) { return nil, errSoon }
