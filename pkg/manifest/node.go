// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/yaml"
)

// syntaxError is what a YAML parser says about a text, with the line in that text; 0 means unknown.
type syntaxError struct {
	line    int
	problem string
}

func (e *syntaxError) Error() string { return e.problem }

// nodes parses a text into the root nodes of its documents. A fault is a *syntaxError.
func nodes(text []byte) (out []*yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil { // the parser has panics marked "please report"
			err = &syntaxError{problem: "cannot be read as YAML"}
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		switch err := dec.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, syntaxOf(text, err)
		}
		out = append(out, doc.Content...)
	}
}

// located takes the error texts of go-yaml apart.
func located(err error) (line int, problem string) {
	m := regexp.MustCompile(`yaml: (?:line (\d+): )?(.*)$`).FindStringSubmatch(err.Error())
	if m == nil {
		return 0, "cannot be read as YAML"
	}
	line, _ = strconv.Atoi(m[1])
	return line, m[2]
}

// syntaxOf finds the right line for an error: version 3 of the parser names the line where the surrounding
// construct began, version 2 where the problem is; errors of the grammar are one line early in both.
func syntaxOf(text []byte, err error) error {
	line, problem := located(err)
	if _, err := kyaml.YAMLToJSON(text); err != nil {
		if at, same := located(err); same == problem && !beginMatters(problem) {
			line = at
		}
	}
	switch {
	case strings.HasPrefix(problem, "did not find expected"), strings.HasPrefix(problem, "found undefined tag"):
		line++
	case strings.HasPrefix(problem, "unknown anchor"):
		// The text of the error holds the name, which may be a password without quotes.
		name := strings.TrimSuffix(strings.TrimPrefix(problem, "unknown anchor '"), "' referenced")
		line, problem = 1+bytes.Count(before(text, "*"+name), []byte("\n")), "an alias (*name) is used that no anchor (&name) defines"
	case strings.Contains(problem, "cannot start any token") && tabbed(text, line):
		problem = "found a tab character that violates indentation"
	case strings.HasPrefix(problem, "control characters"):
		line = 1 + bytes.Count(text[:bytes.IndexFunc(text, unprintable)], []byte("\n"))
		problem = "has a control character"
	}
	return &syntaxError{line: max(line, 1), problem: strings.ReplaceAll(problem, "could not find", "did not find")}
}

// tabbed says that a line is indented with tabs.
func tabbed(text []byte, line int) bool {
	rows := bytes.SplitN(text, []byte("\n"), line+1)
	if line < 1 || line > len(rows) {
		return false
	}
	row := rows[line-1]
	return bytes.Contains(row[:len(row)-len(bytes.TrimLeft(row, " \t"))], []byte("\t"))
}

// beginMatters says that the start of the construct is the place to look at.
func beginMatters(problem string) bool {
	return strings.Contains(problem, "unexpected end of stream") || strings.Contains(problem, "could not find expected ':'")
}

func before(text []byte, what string) []byte {
	head, _, _ := bytes.Cut(text, []byte(what))
	return head
}

// unprintable says what YAML forbids in a text (YAML 1.2.2, 5.1).
func unprintable(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == 0x85, r >= 0x20 && r <= 0x7E, r >= 0xA0 && r <= 0xD7FF,
		r >= 0xE000 && r <= 0xFFFD && r != 0xFEFF, r >= 0x10000 && r <= unicode.MaxRune:
		return false
	}
	return true
}

// syntaxHint says what helps against the commonest mistakes.
func syntaxHint(problem string) string {
	switch {
	case strings.Contains(problem, "tab character"):
		return "YAML is indented with spaces, not with tabs"
	case strings.Contains(problem, "mapping values are not allowed"):
		return "check the indentation, and put a value that holds \": \" in quotes"
	case strings.Contains(problem, "cannot start any token"), strings.Contains(problem, "alias"):
		return "put a value that begins with one of @ ` % * & ! | > in quotes"
	case strings.Contains(problem, "document start"):
		return "put a line with --- between two documents"
	}
	return ""
}

// syntaxFault places a fault of nodes in the source.
func (c chunk) syntaxFault(src Source, err error) error {
	var s *syntaxError
	if !errors.As(err, &s) {
		return fmt.Errorf("parse %s: %w", src.origin(c.line), err)
	}
	return faultAt(src.origin(c.lineOf(max(s.line, 1))), syntaxHint(s.problem), "is not valid YAML: %s", s.problem)
}
