// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// segment is a piece of what a construct stands for.
type segment struct {
	text string
	// written says that the text stands in the template, in a default: it is YAML already, escapes and all.
	// Other text comes from a value, and means nothing but itself.
	written bool
}

// join drops the difference between values and written text.
func join(segs []segment) string {
	var b strings.Builder
	for _, s := range segs {
		b.WriteString(s.text)
	}
	return b.String()
}

// eval gives what an expression stands for. All variables it needs must be set. The values are not looked into:
// a value that looks like a variable is not one.
func (e *expr) eval(lookup Lookup) ([]segment, error) {
	value, set := lookup(e.name)
	if e.optional() {
		switch {
		case e.usesArgs(value, set):
			return e.args[0].eval(lookup)
		case e.hasDefault():
			return []segment{{text: value}}, nil
		}
		return nil, nil
	}
	args := make([]string, len(e.args))
	if e.usesArgs(value, set) {
		for i, w := range e.args {
			segs, err := w.eval(lookup)
			if err != nil {
				return nil, err
			}
			args[i] = join(segs)
		}
	}
	text, err := e.apply(value, args)
	return []segment{{text: text}}, err
}

func (w word) eval(lookup Lookup) ([]segment, error) {
	var out []segment
	for _, p := range w {
		if p.expr == nil {
			out = append(out, segment{text: p.text, written: true})
			continue
		}
		segs, err := p.expr.eval(lookup)
		if err != nil {
			return nil, err
		}
		out = append(out, segs...)
	}
	return out, nil
}

// apply carries out the operators that change a value.
func (e *expr) apply(value string, args []string) (string, error) {
	switch e.op {
	case "len":
		return strconv.Itoa(utf8.RuneCountInString(value)), nil
	case "^", ",":
		r, n := utf8.DecodeRuneInString(value)
		if n == 0 {
			return value, nil
		}
		if e.op == "^" {
			return string(unicode.ToUpper(r)) + value[n:], nil
		}
		return string(unicode.ToLower(r)) + value[n:], nil
	case "^^":
		return strings.ToUpper(value), nil
	case ",,":
		return strings.ToLower(value), nil
	case "#", "##":
		return trimPrefix(value, args[0], e.op == "##"), nil
	case "%", "%%":
		return trimSuffix(value, args[0], e.op == "%%"), nil
	case "/", "//", "/#", "/%":
		return replace(e.op, value, args), nil
	case ":":
		return substring(value, args)
	}
	return value, nil
}

// replace takes its pattern literally, as envsubst does.
func replace(op, value string, args []string) string {
	from, to := args[0], ""
	if len(args) > 1 {
		to = args[1]
	}
	switch {
	case from == "":
		return value
	case op == "//":
		return strings.ReplaceAll(value, from, to)
	case op == "/#":
		if rest, ok := strings.CutPrefix(value, from); ok {
			return to + rest
		}
		return value
	case op == "/%":
		if rest, ok := strings.CutSuffix(value, from); ok {
			return rest + to
		}
		return value
	}
	return strings.Replace(value, from, to, 1)
}

// substring counts characters. A negative position counts from the end, a negative length ends before the end.
func substring(value string, args []string) (string, error) {
	runes := []rune(value)
	numbers := []int{0, len(runes)}
	for i, a := range args {
		n, err := strconv.Atoi(strings.TrimSpace(a))
		if err != nil {
			return "", errNumber
		}
		numbers[i] = n
	}
	from, length := numbers[0], numbers[1]
	if from < 0 {
		from = max(0, len(runes)+from)
	}
	from = min(from, len(runes))
	end := len(runes)
	switch {
	case length < 0:
		end = max(from, end+length)
	case length < end-from:
		end = from + length
	}
	return string(runes[from:end]), nil
}
