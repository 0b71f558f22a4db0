// SPDX-License-Identifier: Apache-2.0

// Package move moves what Cluster API manages from one management cluster to another, so that nothing is lost whatever
// happens on the way.
//
// A move has phases, and a journal on both clusters says which one it is in:
//
//	quiescing  Clusters paused, the source's controllers at zero and gone, its webhooks let only the move pass
//	copying    owners first, then status and field managers, then everything compared
//	releasing  the source's objects deleted, leaves first; from here on a move only goes forward
//	resuming   pauses taken back on the target
//	finishing  replicas and webhooks restored on the source, journal and leases dropped
//
// [Run] starts a move, or goes on with the one that the journal tells of. [Rollback] undoes one that hasn't begun to
// release. [Preview] only looks.
//
// Nothing is put on the objects themselves to know how far a move is: what was copied is known by the UIDs that the journal's
// inventory holds, and before that is written by the objects: made after the journal on the target, under the
// move's field manager or with the very content of their source.
package move
