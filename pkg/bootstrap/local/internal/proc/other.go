// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package proc

import (
	"errors"
	"math"
	"os/exec"
	"syscall"
)

// errLinux is what everything returns elsewhere; package local refuses before it gets here.
var errLinux = errors.New("processes of local bootstrap clusters need Linux")

// Of returns an error.
func Of(int) (Ident, error) { return Ident{}, errLinux }

// Self returns an error.
func Self() (Ident, error) { return Ident{}, errLinux }

// Alive is false.
func (Ident) Alive() bool { return false }

// Signal returns an error.
func (Ident) Signal(syscall.Signal) error { return errLinux }

// Marked finds nothing.
func Marked(string) ([]Ident, error) { return nil, nil }

// Reap does nothing.
func Reap(int) {}

// Spawner starts nothing.
type Spawner struct{}

// NewSpawner returns a Spawner.
func NewSpawner() *Spawner { return &Spawner{} }

// Start returns an error.
func (*Spawner) Start(*exec.Cmd) error { return errLinux }

// Close does nothing.
func (*Spawner) Close() {}

// Detach returns an error.
func Detach(*exec.Cmd) (int, error) { return 0, errLinux }

// SignalGroup returns an error.
func SignalGroup(int, syscall.Signal) error { return errLinux }

// Umask does nothing.
func Umask() {}

// FreeBytes sets no limit.
func FreeBytes(string) (uint64, error) { return math.MaxUint64, nil }

// Owned is true.
func Owned(string) (bool, error) { return true, nil }
