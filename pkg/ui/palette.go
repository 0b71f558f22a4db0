// SPDX-License-Identifier: Apache-2.0

package ui

// Palette colours words, or leaves them alone where colours are off. Colour alone never carries a meaning.
type Palette struct {
	// On says whether colours are used.
	On bool
}

// Red is for failures.
func (p Palette) Red(s string) string { return p.paint("31", s) }

// Green is for what is done.
func (p Palette) Green(s string) string { return p.paint("32", s) }

// Yellow is for warnings.
func (p Palette) Yellow(s string) string { return p.paint("33", s) }

// Cyan is for what is going on.
func (p Palette) Cyan(s string) string { return p.paint("36", s) }

// Dim is for what matters less: durations, reasons.
func (p Palette) Dim(s string) string { return p.paint("2", s) }

// Bold is for headings.
func (p Palette) Bold(s string) string { return p.paint("1", s) }

func (p Palette) paint(code, s string) string {
	if !p.On || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
