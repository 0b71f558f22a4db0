// SPDX-License-Identifier: Apache-2.0

package image

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// ErrProgram says that what the image starts can't be run as a process of this host.
var ErrProgram = errors.New("program can't run outside of a container")

// Program says how to start the image: argv[:fixed] starts its program, the rest are the
// program's arguments. command and args replace what the image says, as in a container's spec.
func (i *Image) Program(command, args []string) (argv []string, fixed int, err error) {
	entry, rest := i.Config.Entrypoint, i.Config.Cmd
	if len(command) > 0 {
		entry, rest = command, nil
	}
	if len(args) > 0 {
		rest = args
	}
	all := append(append([]string(nil), entry...), rest...)
	if len(all) == 0 {
		return nil, 0, fmt.Errorf("%w: neither the image nor the Deployment says what to start", ErrProgram)
	}
	root, err := os.OpenRoot(i.Root)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = root.Close() }()
	inside, err := i.lookup(root, all[0])
	if err != nil {
		return nil, 0, err
	}
	start, err := i.start(root, inside)
	if err != nil {
		return nil, 0, fmt.Errorf("start %s: %w", all[0], err)
	}
	return append(start, all[1:]...), len(start), nil
}

// lookup finds a program in the image the way that a container runtime does; the result has no leading slash.
func (i *Image) lookup(root *os.Root, program string) (string, error) {
	var candidates []string
	switch {
	case path.IsAbs(program):
		candidates = []string{program}
	case strings.Contains(program, "/"):
		candidates = []string{path.Join("/", i.Config.WorkingDir, program)}
	default:
		for _, dir := range filepath.SplitList(i.path()) {
			candidates = append(candidates, path.Join("/", dir, program))
		}
	}
	for _, c := range candidates {
		inside := strings.TrimPrefix(path.Clean(c), "/")
		info, err := root.Stat(inside)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("look for %s in the image: %w", program, err)
		}
		if err == nil && info.Mode().IsRegular() {
			return inside, nil
		}
	}
	return "", fmt.Errorf("%w: the image holds no program %s", ErrProgram, program)
}

func (i *Image) path() string {
	for _, e := range i.Config.Env {
		if value, ok := strings.CutPrefix(e, "PATH="); ok {
			return value
		}
	}
	return "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
}

// start gives the host's command line for a program of the image: itself if it is static, else the image's own loader.
func (i *Image) start(root *os.Root, inside string) ([]string, error) {
	f, err := root.Open(inside)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	program, err := elf.NewFile(f)
	if err != nil {
		return nil, fmt.Errorf("%w: it is a script or something else than a Linux program", ErrProgram)
	}
	machines := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}
	if want := machines[runtime.GOARCH]; program.Machine != want {
		return nil, fmt.Errorf("%w: the program is for %s, this host needs %s", ErrPlatform, program.Machine, want)
	}
	loader := interpreter(program)
	host := filepath.Join(i.Root, filepath.FromSlash(inside))
	if loader == "" {
		return []string{host}, nil
	}
	loader = strings.TrimPrefix(path.Clean("/"+loader), "/")
	if _, err := root.Stat(loader); err != nil {
		return nil, fmt.Errorf("%w: it needs the loader /%s, which the image doesn't hold", ErrProgram, loader)
	}
	return []string{filepath.Join(i.Root, filepath.FromSlash(loader)), "--library-path", i.libraries(root), host}, nil
}

// interpreter is the loader that a dynamically linked program names.
func interpreter(program *elf.File) string {
	for _, p := range program.Progs {
		if p.Type != elf.PT_INTERP || p.Filesz > 4096 {
			continue
		}
		data := make([]byte, p.Filesz)
		if _, err := p.ReadAt(data, 0); err == nil {
			return strings.TrimRight(string(data), "\x00")
		}
	}
	return ""
}

// libraries is the search path of the image's own libraries, so that none of the host's is used.
func (i *Image) libraries(root *os.Root) string {
	triplet := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[runtime.GOARCH]
	var found []string
	for _, base := range []string{"lib", "lib64", "usr/lib", "usr/lib64", "usr/local/lib"} {
		for _, dir := range []string{path.Join(base, triplet), base} {
			if info, err := root.Stat(dir); err == nil && info.IsDir() {
				found = append(found, filepath.Join(i.Root, dir))
			}
		}
	}
	return strings.Join(found, ":")
}
