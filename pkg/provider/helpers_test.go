// SPDX-License-Identifier: Apache-2.0

package provider

import "regexp"

// regexpComment takes the comment marks off the settings of the example: lines such as "# key: value" and "#   - name: x".
var regexpComment = regexp.MustCompile(`(?m)^# ((?:  |- )*[A-Za-z/_-]+:(?: .*)?|  - name: .*)$`)
