// SPDX-License-Identifier: Apache-2.0

package event

import "strconv"

// Count says how many there are of something that has a regular plural: "1 object", "3 objects".
func Count(n int, singular string) string {
	if n == 1 {
		return "1 " + singular
	}
	return strconv.Itoa(n) + " " + singular + "s"
}
