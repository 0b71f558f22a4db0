// SPDX-License-Identifier: Apache-2.0

package completion

// How to install the script of each shell.
const (
	bash = `# in this shell (the package bash-completion must be installed)
source <(clusterctl completion bash)

# in every new shell, on Linux
clusterctl completion bash > ~/.local/share/bash-completion/completions/clusterctl

# in every new shell, on macOS with Homebrew
clusterctl completion bash > $(brew --prefix)/etc/bash_completion.d/clusterctl`

	zsh = `# if completion isn't switched on yet
echo "autoload -U compinit; compinit" >> ~/.zshrc

# in every new shell
clusterctl completion zsh > "${fpath[1]}/_clusterctl"`

	fish = `# in this shell
clusterctl completion fish | source

# in every new shell
clusterctl completion fish > ~/.config/fish/completions/clusterctl.fish`

	powershell = `# in this shell
clusterctl completion powershell | Out-String | Invoke-Expression

# in every new shell: add the output to your profile
clusterctl completion powershell >> $PROFILE`
)
