// SPDX-License-Identifier: Apache-2.0

package ui

// Progress is how the progress of a run is shown.
type Progress string

// The ways to show progress.
const (
	// ProgressAuto is the live view on a terminal and plain lines elsewhere.
	ProgressAuto Progress = "auto"
	// ProgressPlain is one line whenever something changes, without escape sequences.
	ProgressPlain Progress = "plain"
	// ProgressJSON is one JSON object a line.
	ProgressJSON Progress = "json"
	// ProgressNone shows warnings only.
	ProgressNone Progress = "none"
)

// ProgressModes are the values that --progress takes.
func ProgressModes() []Progress {
	return []Progress{ProgressAuto, ProgressPlain, ProgressJSON, ProgressNone}
}

// Color is when colours are used.
type Color string

// The choices for colours.
const (
	// ColorAuto uses colours on a terminal, unless NO_COLOR or TERM=dumb says no or CLICOLOR_FORCE says yes.
	ColorAuto Color = "auto"
	// ColorAlways uses colours, whatever the stream is.
	ColorAlways Color = "always"
	// ColorNever uses none.
	ColorNever Color = "never"
)

// ColorModes are the values that --color takes.
func ColorModes() []Color {
	return []Color{ColorAuto, ColorAlways, ColorNever}
}
