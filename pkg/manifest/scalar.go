// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// scalarValue gives a scalar the type that kubectl gives it: its YAML library follows YAML 1.1, where yes, on and
// the like are booleans and 0777 is octal. Numbers become int64 or float64, as everywhere in Kubernetes. Dates stay strings.
func scalarValue(n *yaml.Node) (any, error) {
	if n.Style&yaml.TaggedStyle == 0 {
		if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			return n.Value, nil
		}
		return number(plainValue(n.Value))
	}
	switch n.Tag {
	case "!!binary":
		data, err := base64.StdEncoding.DecodeString(n.Value)
		if err != nil {
			return nil, errors.New("!!binary is not followed by base64")
		}
		return strings.ToValidUTF8(string(data), "\uFFFD"), nil
	case "!!int", "!!float", "!!bool", "!!null":
		return tagged(n)
	}
	return n.Value, nil
}

// tagged checks that a scalar is what its tag says.
func tagged(n *yaml.Node) (any, error) {
	v := plainValue(n.Value)
	ok := false
	switch n.Tag {
	case "!!int":
		switch v.(type) {
		case int64, uint64:
			ok = true
		}
	case "!!float":
		switch i := v.(type) {
		case float64:
			ok = true
		case int64:
			v, ok = float64(i), true
		}
	case "!!bool":
		_, ok = v.(bool)
	case "!!null":
		ok = v == nil
	}
	if !ok {
		return nil, fmt.Errorf("is not what its tag %s says", n.Tag)
	}
	return number(v)
}

// number brings numbers to the types of unstructured objects, by way of JSON as kubectl does it: 1.0 is the integer 1.
func number(v any) (any, error) {
	switch f := v.(type) {
	case uint64:
		return float64(f), nil
	case float64:
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, errors.New("is a number that JSON doesn't know (infinite or not a number)")
		}
		text, err := json.Marshal(f)
		if err != nil {
			return nil, err
		}
		return jsonNumber(string(text))
	}
	return v, nil
}

// jsonNumber reads a number as Kubernetes does: integers that fit are int64, all others float64.
func jsonNumber(text string) (any, error) {
	if !strings.ContainsAny(text, ".eE") {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return i, nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, errors.New("is a number that is too large")
	}
	return f, nil
}

// plainValue resolves a scalar without quotes; the result is nil, bool, int64, uint64, float64 or string.
func plainValue(s string) any {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON":
		return true
	case "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF":
		return false
	case ".nan", ".NaN", ".NAN":
		return math.NaN()
	case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF":
		return math.Inf(1)
	case "-.inf", "-.Inf", "-.INF":
		return math.Inf(-1)
	}
	switch c := s[0]; {
	case c == '.':
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return f
		}
	case c == '+', c == '-', '0' <= c && c <= '9':
		return plainNumber(s)
	}
	return s
}

func plainNumber(s string) any {
	digits := strings.ReplaceAll(s, "_", "")
	if i, err := strconv.ParseInt(digits, 0, 64); err == nil {
		return i
	}
	if u, err := strconv.ParseUint(digits, 0, 64); err == nil {
		return u
	}
	if isFloat(digits) {
		if f, err := strconv.ParseFloat(digits, 64); err == nil {
			return f
		}
	}
	return s
}

// isFloat keeps out what strconv takes and YAML doesn't, such as hexadecimal floats.
func isFloat(s string) bool {
	return strings.Trim(s, "+-.0123456789eE") == ""
}

// keyText turns a key into the string that JSON needs.
func keyText(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", errors.New("a mapping key must be a string")
	}
	if n.Style == 0 {
		switch v := plainValue(n.Value).(type) {
		case bool:
			return strconv.FormatBool(v), nil
		case int64:
			return strconv.FormatInt(v, 10), nil
		case float64:
			return floatKey(v), nil
		case string:
			return v, nil
		}
		return "", errors.New("a mapping key must be a string")
	}
	v, err := scalarValue(n)
	if err != nil {
		return "", err
	}
	if s, ok := v.(string); ok {
		return s, nil
	}
	return "", errors.New("a mapping key must be a string")
}

func floatKey(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return ".inf"
	case math.IsInf(f, -1):
		return "-.inf"
	case math.IsNaN(f):
		return ".nan"
	}
	return strconv.FormatFloat(f, 'g', -1, 32)
}
