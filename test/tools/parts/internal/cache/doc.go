// SPDX-License-Identifier: Apache-2.0

// Package cache knows the cache folder that the parts live in: where each part
// is, which parts are complete (stamps), and who may write to it (a lock).
package cache
