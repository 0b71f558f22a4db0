// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clusterctl/clusterctl/pkg/cmd/cmdutil"
	"github.com/clusterctl/clusterctl/pkg/event"
	"github.com/clusterctl/clusterctl/pkg/fault"
	"github.com/clusterctl/clusterctl/pkg/kubeconfig"
	"github.com/clusterctl/clusterctl/pkg/manifest"
	"github.com/clusterctl/clusterctl/pkg/provider"
	"github.com/clusterctl/clusterctl/pkg/ui"
)

// rendering is what the commands that fill in variables share.
type rendering struct {
	set     []string
	list    bool
	writeTo string
	output  ui.Format
}

func (o *rendering) addFlags(cmd *cobra.Command, f *cmdutil.Factory) {
	fl := cmd.Flags()
	fl.StringArrayVar(&o.set, "set", nil, "value of a variable, NAME=VALUE (repeatable; others see it in the process list: give secrets by the environment)")
	fl.BoolVar(&o.list, "list-variables", false, "list the variables, whether they are set and where, and render nothing")
	fl.StringVar(&o.writeTo, "write-to", "", "file for the result (default: standard output)")
	cmdutil.OutputVar(cmd, f, &o.output)
	fl.Lookup("output").Usage = "format of --list-variables: " + strings.TrimPrefix(fl.Lookup("output").Usage, "format of the result: ")
}

// run lists the variables of the sources, or renders and prints them. flags are variables that other flags set.
func (o *rendering) run(ctx context.Context, f *cmdutil.Factory, srcs []manifest.Source, flags map[string]string) error {
	values, err := cmdutil.ParseSet(o.set)
	if err != nil {
		return err
	}
	given := maps.Clone(values)
	for name, v := range flags {
		values[name] = v
	}
	cfg, err := f.LoadConfig(ctx, provider.LoadOptions{Flags: values})
	if err != nil {
		return err
	}
	if o.list {
		return o.printVariables(f, srcs, cfg)
	}
	var asked manifest.Asked
	rendered, err := manifest.RenderAll(srcs, asked.Lookup(cfg.Lookup(nil)))
	if err != nil {
		return err
	}
	for _, name := range asked.Unused(given) { // A slip of the pen would else leave a default in force, silently.
		event.Warnf(f.View(), "--set %s: nothing uses a variable of this name", name)
	}
	return o.write(f, join(rendered))
}

// join puts sources into one YAML stream.
func join(srcs []manifest.Source) []byte {
	var b bytes.Buffer
	for i, s := range srcs {
		if i > 0 {
			b.WriteString("---\n")
		}
		b.Write(s.Data)
		if n := len(s.Data); n > 0 && s.Data[n-1] != '\n' {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

func (o *rendering) write(f *cmdutil.Factory, data []byte) error {
	if o.writeTo != "" {
		// The result may hold secrets: the same care as for a kubeconfig.
		return kubeconfig.WriteFile(o.writeTo, data)
	}
	_, err := f.Streams.Out.Write(data)
	return err
}

// variable is one line of the list of variables. It never holds a value: that may be a secret.
type variable struct {
	Name     string   `json:"name"`
	Required bool     `json:"required"`
	Set      bool     `json:"set"`
	Source   string   `json:"source"`
	Default  string   `json:"default,omitempty"`
	Uses     []string `json:"uses"`
}

func (o *rendering) printVariables(f *cmdutil.Factory, srcs []manifest.Source, cfg *provider.Config) error {
	lookup := cfg.Lookup(nil)
	byName := map[string]*variable{}
	var all []*variable
	var faults fault.List
	for _, src := range srcs {
		vars, err := manifest.Variables(src, lookup)
		faults.Add(err)
		for _, v := range vars {
			e := byName[v.Name]
			if e == nil {
				_, set := lookup(v.Name)
				e = &variable{Name: v.Name, Set: set, Source: cfg.SourceOf(v.Name), Default: v.Default}
				byName[v.Name], all = e, append(all, e)
			}
			e.Required = e.Required || v.Required
			for _, u := range v.Uses {
				e.Uses = append(e.Uses, u.String())
			}
		}
	}
	if err := faults.Err(); err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b *variable) int { return cmp.Compare(a.Name, b.Name) })
	return ui.Print(f.Streams, o.output, variableListing(all))
}

func variableListing(all []*variable) ui.Listing[*variable] {
	type col = ui.Column[*variable]
	return ui.Listing[*variable]{
		Kind: "Variable", Items: all, Empty: "No variables.",
		Name: func(v *variable) string { return v.Name },
		Columns: []col{
			{Name: "NAME", Value: func(v *variable) string { return v.Name }},
			{Name: "NEEDED", Value: func(v *variable) string { return yesNo(v.Required && !v.Set) }},
			{Name: "SOURCE", Value: source},
			{Name: "DEFAULT", Value: func(v *variable) string { return v.Default }},
			{Name: "USED IN", Wide: true, Value: func(v *variable) string { return strings.Join(v.Uses, " ") }},
		},
	}
}

func source(v *variable) string {
	if !v.Set && v.Required {
		return "not set"
	}
	return v.Source
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
