import { type Command, exitStatus, UsageError } from '../command.ts'

/** Each asks `stint complete` for the words that may stand at the cursor, so a new operation needs no new script. */
const scripts: Record<string, string> = {
  bash: `_stint() {
  local IFS=$'\\n'
  COMPREPLY=($(stint complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _stint stint
`,
  zsh: `#compdef stint
_stint() {
  local -a found
  found=("\${(@f)$(stint complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "\${found[1]}" ]] && compadd -- "\${found[@]}" || _files
}
compdef _stint stint
`,
  fish: `function __stint_complete
  set -l words (commandline -opc) (commandline -ct)
  stint complete -- $words[2..-1] 2>/dev/null
end
complete -c stint -f -a '(__stint_complete)'
`,
}

export const completion: Command = {
  usage: 'bash|zsh|fish',
  about: `The shell has to find \`stint\` itself, such as after \`npm i -g\` or by alias stint="npx stint".

bash: add \`source <(stint completion bash)\` to ~/.bashrc
zsh:  add \`source <(stint completion zsh)\` to ~/.zshrc, behind compinit
fish: stint completion fish > ~/.config/fish/completions/stint.fish`,
  examples: ['completion bash', 'completion zsh', 'completion fish'],
  words_max: 1,
  has_result: false,
  async run(_flags, [shell = '']) {
    const script = scripts[shell]
    if (!script) throw new UsageError('name a shell: bash, zsh or fish')
    process.stdout.write(script)
    return exitStatus.ok
  },
}
