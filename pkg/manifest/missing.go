// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"

	"github.com/clusterctl/clusterctl/pkg/fault"
)

// MissingVariablesError says which variables have no value and where they are needed.
type MissingVariablesError struct {
	// Variables are the missing ones, sorted by name; Uses are the places where a value is needed.
	Variables []Variable
}

// shownUses is how many places are named for each variable.
const shownUses = 3

// Error lists the variables, one line each if there are several.
func (e *MissingVariablesError) Error() string {
	if len(e.Variables) == 1 {
		return fmt.Sprintf("the variable %s has no value; it is used at %s", e.Variables[0].Name, uses(e.Variables[0]))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d variables have no value:", len(e.Variables))
	for _, v := range e.Variables {
		fmt.Fprintf(&b, "\n  - %s, used at %s", v.Name, uses(v))
	}
	return b.String()
}

func uses(v Variable) string {
	var places []string
	for _, at := range v.Uses[:min(len(v.Uses), shownUses)] {
		places = append(places, at.String())
	}
	out := strings.Join(places, ", ")
	if more := len(v.Uses) - shownUses; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	if v.Message != "" {
		out += " (" + v.Message + ")"
	}
	return out
}

// missingError adds what can be done about it.
func missingError(vars []Variable) error {
	name := vars[0].Name
	return &fault.Error{
		Code: fault.Usage,
		Err:  &MissingVariablesError{Variables: vars},
		Hint: fmt.Sprintf("set them in the environment (export %s=…), in the file given with --config (%s: …) or with their flag where there is one; write $${%s} for text that is no variable", name, name, name),
	}
}
