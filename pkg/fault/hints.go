// SPDX-License-Identifier: Apache-2.0

package fault

// Hints collects the hints of err and of everything it wraps or joins, outermost first, without repeats. Those that are
// marked as Fallback come only where there is no other.
func Hints(err error) []string {
	var own, fallback []string
	seen := map[string]bool{}
	walk(err, func(f *Error) {
		switch {
		case f.Hint == "" || seen[f.Hint]:
			return
		case f.Fallback:
			fallback = append(fallback, f.Hint)
		default:
			own = append(own, f.Hint)
		}
		seen[f.Hint] = true
	})
	if len(own) == 0 {
		return fallback
	}
	return own
}

// walk visits every *Error in what err wraps or joins, outermost first.
func walk(err error, visit func(*Error)) {
	if err == nil {
		return
	}
	if f, ok := err.(*Error); ok { //nolint:errorlint // this walks the chain itself
		visit(f)
	}
	switch u := err.(type) { //nolint:errorlint // this walks the chain itself
	case interface{ Unwrap() error }:
		walk(u.Unwrap(), visit)
	case interface{ Unwrap() []error }:
		for _, e := range u.Unwrap() {
			walk(e, visit)
		}
	}
}
