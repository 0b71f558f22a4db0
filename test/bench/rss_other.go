// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package main

import "os"

func maxRSS(*os.ProcessState) float64 { return 0 }

func ownPeak() float64 { return -1 }

func peakOf(string) float64 { return 0 }
