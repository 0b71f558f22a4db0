// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// instances is how many inotify instances a user may have. Each node container
// needs about 20, and common defaults are 128.
const (
	instancesFile = "fs/inotify/max_user_instances"
	instances     = 1024
)

// noted are the settings of the host that are put back at the end: the one that
// is raised here, those that a kubelet sets from inside of a node container, and
// those that Docker sets.
var noted = []string{
	instancesFile, "kernel/panic", "kernel/panic_on_oops", "vm/overcommit_memory",
	"net/ipv4/ip_forward", "net/ipv4/conf/all/forwarding", "net/ipv4/conf/default/forwarding",
}

func (e Engine) noteFile() string { return filepath.Join(e.Dir, "sysctls.json") }

func (e Engine) setting(name string) string { return filepath.Join(e.Settings, name) }

// raiseLimits notes the settings as they are, unless they are noted already,
// and raises what is too low.
func (e Engine) raiseLimits() error {
	if _, err := os.Stat(e.noteFile()); errors.Is(err, os.ErrNotExist) {
		values := map[string]string{}
		for _, name := range noted {
			if data, err := os.ReadFile(e.setting(name)); err == nil {
				values[name] = strings.TrimSpace(string(data))
			}
		}
		data, err := json.MarshalIndent(values, "", "  ")
		if err != nil {
			return err
		}
		if err := os.MkdirAll(e.Dir, 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(e.noteFile(), append(data, '\n'), 0o600); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(e.setting(instancesFile))
	if err != nil {
		return err
	}
	if now, err := strconv.Atoi(strings.TrimSpace(string(data))); err != nil || now >= instances {
		return err
	}
	if err := os.WriteFile(e.setting(instancesFile), []byte(strconv.Itoa(instances)), 0); err != nil {
		return fmt.Errorf("raise %s: %w", instancesFile, err)
	}
	e.say("%s is %d now", instancesFile, instances)
	return nil
}

// restoreLimits puts the noted settings back.
func (e Engine) restoreLimits() error {
	data, err := os.ReadFile(e.noteFile())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	values := map[string]string{}
	if err == nil {
		err = json.Unmarshal(data, &values)
	}
	if err != nil {
		return fmt.Errorf("put settings back: %w", err)
	}
	for _, name := range noted {
		value, ok := values[name]
		if !ok {
			continue
		}
		if now, err := os.ReadFile(e.setting(name)); err == nil && strings.TrimSpace(string(now)) == value {
			continue
		}
		if err := os.WriteFile(e.setting(name), []byte(value), 0); err != nil {
			return fmt.Errorf("put %s back to %s: %w", name, value, err)
		}
		e.say("%s is %s again", name, value)
	}
	return removeFile(e.noteFile())
}
