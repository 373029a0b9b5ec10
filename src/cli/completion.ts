/** `pentameter completion SHELL`: a completion script made from the commands themselves. */
import { Argument, type Command, type Option } from 'commander'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

const EXAMPLES = `
Examples:
  $ source <(pentameter completion bash)
  $ pentameter completion fish > ~/.config/fish/completions/pentameter.fish`

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action((shell: Shell) => {
      process.stdout.write(shell === 'fish' ? fishScript(program) : bashScript(program, shell))
    })
}

/** Lists the words that may follow a command: flags, choices of arguments, sub-commands. */
function wordsOf(command: Command): string[] {
  const flags = optionsOf(command).keys()
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
  const subCommands = command.commands.map((each) => each.name())
  return [...choices, ...subCommands, ...flags, '--help']
}

/**
 * Value that follows a flag: one of some words, an address that begins as one of them, a file,
 * anything else, or none of its own.
 */
type Value =
  | readonly string[]
  | { readonly beginnings: readonly string[] }
  | 'file'
  | 'free'
  | 'none'

/** Beginnings of addresses in a description: `NAME+tcp://`, of a name in lower case. */
const BEGINNING = /\b[a-z]+(?:\+[a-z]+)?:\/\//g

function argumentOf({ argChoices, flags, required, optional, description }: Option): Value {
  if (argChoices !== undefined) return argChoices
  const beginnings = [...description.matchAll(BEGINNING)].map(([beginning]) => beginning)
  if (beginnings.length > 0) return { beginnings }
  if (flags.includes('<file>')) return 'file'
  return required || optional ? 'free' : 'none'
}

/** Collects the flags of a command and its sub-commands by name. */
function optionsOf(command: Command): Map<string, Value> {
  const options = [command, ...command.commands].flatMap((each) => each.options)
  return new Map(options.map((option) => [option.long ?? option.flags, argumentOf(option)]))
}

function bashScript(program: Command, shell: Shell): string {
  const commands = program.commands.map((command) => command.name())
  const names = [...commands, 'help', '--help', '--version'].join(' ')
  const cases = program.commands.map(
    (command) => `    ${command.name()}) words='${wordsOf(command).join(' ')}' ;;`,
  )
  const head = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''
  return `${head}_pentameter() {
  local words current="\${COMP_WORDS[COMP_CWORD]}"
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    help) words='${commands.join(' ')}' ;;
    *) words='${names}' ;;
  esac
  [ "$COMP_CWORD" -eq 1 ] && words='${names}'
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD - 1]}" in
${bashValues(program).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _pentameter pentameter
`
}

/** Writes the branches for a word before the cursor that is a flag with a value. */
function bashValues(program: Command): string[] {
  const options = program.commands.flatMap((command) =>
    [...optionsOf(command)].map(([flag, value]) => [`'${command.name()} ${flag}'`, value] as const),
  )
  const free = options.filter(([, value]) => value === 'free').map(([words]) => words)
  const branches = options.flatMap(([words, value]) => {
    if (value === 'none' || value === 'free') return []
    if (typeof value === 'object' && 'beginnings' in value) {
      const noSpace = 'compopt -o nospace 2>/dev/null'
      return [`    ${words}) words='${value.beginnings.join(' ')}'; ${noSpace} ;;`]
    }
    if (value !== 'file') return [`    ${words}) words='${value.join(' ')}' ;;`]
    return [
      `    ${words})`,
      // zsh and bash before 4 have no compopt: there a folder is completed without its slash.
      '      compopt -o filenames 2>/dev/null',
      "      local IFS=$'\\n'",
      '      COMPREPLY=($(compgen -f -- "$current"))',
      '      return ;;',
    ]
  })
  return [...branches, `    ${free.join(' | ')}) COMPREPLY=(); return ;;`]
}

function fishScript(program: Command): string {
  const lines = ['complete -c pentameter -f']
  const add = (command: string, words: string): void => {
    lines.push(`complete -c pentameter -n '__fish_seen_subcommand_from ${command}' ${words}`)
  }
  for (const command of program.commands) {
    const name = command.name()
    const about = command.description().replaceAll("'", '’')
    lines.push(`complete -c pentameter -n __fish_use_subcommand -a ${name} -d '${about}'`)
    const values = optionsOf(command)
    for (const word of wordsOf(command)) {
      if (word.startsWith('--')) add(name, `-l ${word.slice(2)}${fishValue(values.get(word))}`)
      else add(name, `-a ${word}`)
    }
    add('help', `-a ${name}`)
  }
  lines.push("complete -c pentameter -n __fish_use_subcommand -a help -d 'help for a command'")
  return `${lines.join('\n')}\n`
}

function fishValue(value: Value = 'none'): string {
  if (value === 'none') return ''
  if (value === 'file') return ' -r -F'
  if (value === 'free') return ' -x'
  return ` -x -a '${('beginnings' in value ? value.beginnings : value).join(' ')}'`
}
