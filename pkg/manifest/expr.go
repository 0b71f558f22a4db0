// SPDX-License-Identifier: Apache-2.0

package manifest

// expr is one ${…} that was understood.
type expr struct {
	name string
	op   string // "" or what follows the name: := = :- - :+ + :? ? # ## % %% / // /# /% ^ ^^ , ,, : ; "len" for ${#name}
	args []word // default; pattern; pattern and replacement; offset and length
	raw  string // the text behind the operator, as it was written
	at   int    // offset of the $ in its document
}

// word is text with variables in it.
type word []piece

// piece is text, or a variable where expr is set.
type piece struct {
	text string
	expr *expr
}

// hasDefault says that the form gives a value where the variable has none.
func (e *expr) hasDefault() bool {
	switch e.op {
	case ":=", "=", ":-", "-":
		return true
	}
	return false
}

// optional says that the form needs no value of its variable.
func (e *expr) optional() bool {
	return e.hasDefault() || e.op == ":+" || e.op == "+"
}

// walk calls f for the expression and everything inside of it.
func (e *expr) walk(f func(*expr)) {
	f(e)
	for _, w := range e.args {
		for _, p := range w {
			if p.expr != nil {
				p.expr.walk(f)
			}
		}
	}
}

// required calls f for every use of a variable without which the expression has no value. Arguments count only
// where they matter, which depends on what is set; whether the required variables themselves are set doesn't.
func (e *expr) required(lookup Lookup, f func(*expr)) {
	if !e.optional() {
		f(e)
	}
	if !e.usesArgs(lookup(e.name)) {
		return
	}
	for _, w := range e.args {
		for _, p := range w {
			if p.expr != nil {
				p.expr.required(lookup, f)
			}
		}
	}
}

// missing says that the expression has no value because its variable has none.
func (e *expr) missing(lookup Lookup) bool {
	value, set := lookup(e.name)
	return !e.optional() && (!set || e.op == ":?" && value == "")
}

// usesArgs says whether the arguments matter, given the value of the variable. In the forms with a colon a variable
// that is set but empty counts as unset.
func (e *expr) usesArgs(value string, set bool) bool {
	switch e.op {
	case ":=", ":-":
		return value == ""
	case "=", "-":
		return !set
	case ":+":
		return value != ""
	case "+":
		return set
	case ":?", "?":
		return false
	}
	return true
}

// unset is the Lookup of someone who has set nothing.
func unset(string) (string, bool) { return "", false }
