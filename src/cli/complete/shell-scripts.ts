/** The shells that completion knows. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/** One of the shells that completion knows. */
export type Shell = (typeof SHELLS)[number];

// The scripts hand over what was typed as arguments and take values line by line. They evaluate nothing:
// neither what was typed nor what is offered.

const BASH = `# bash completion of troupe. In ~/.bashrc: source <(troupe completion bash)
_troupe() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <(troupe completion bash -- "\${COMP_LINE:0:COMP_POINT}" "\${COMP_WORDS[COMP_CWORD]}" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *[/=] ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _troupe troupe
`;

const ZSH = `#compdef troupe
# zsh completion of troupe. In ~/.zshrc, after compinit: source <(troupe completion zsh)
_troupe() {
  local line
  local -a found folders
  while IFS= read -r line; do
    if [[ $line == */ ]]; then folders+=("$line"); else found+=("$line"); fi
  done < <(troupe completion zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( $#folders )) && compadd -S '' -- "\${folders[@]}"
  (( $#found )) && _describe troupe found
  (( $#folders + $#found ))
}
if [[ \${funcstack[1]} == _troupe ]]; then _troupe; else compdef _troupe troupe; fi
`;

const FISH = `# fish completion of troupe. Once: troupe completion fish > ~/.config/fish/completions/troupe.fish
function __troupe_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    troupe completion fish -- $words[2..-1] "$last" 2>/dev/null
end
complete -c troupe -e
complete -c troupe -f -a '(__troupe_complete)'
`;

// Windows PowerShell drops empty arguments, so the last word is sent with a sign before it.
const POWERSHELL = `# PowerShell completion of troupe. In $PROFILE: troupe completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName troupe -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
    troupe completion powershell -- @words "=$wordToComplete" 2>$null | ForEach-Object {
        $value, $about = $_ -split "\`t", 2
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
    }
}
`;

/** What a shell has to run once so that it completes the commands of troupe. */
export const SHELL_SCRIPTS: { readonly [shell in Shell]: string } = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
  powershell: POWERSHELL,
};
