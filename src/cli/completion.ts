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
      const places = placesOf(program)
      process.stdout.write(shell === 'fish' ? fishScript(places) : bashScript(places, shell))
    })
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

/** A command with what may follow it. */
interface Place {
  /** Words that lead to it, none for the program. */
  readonly path: readonly string[]
  readonly about: string
  /** Sub-commands and choices of arguments. */
  readonly words: readonly string[]
  /** Whether files may follow as well. */
  readonly takesFiles: boolean
  /** Flags of this command alone. */
  readonly flags: ReadonlyMap<string, Value>
}

/** Lists the commands, each before its sub-commands. */
function placesOf(program: Command): Place[] {
  const places: Place[] = []
  const visit = (command: Command, path: readonly string[]): void => {
    const { registeredArguments, commands } = command
    const choices = registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
    const names = commands.map((each) => each.name())
    places.push({
      path,
      about: command.description(),
      words: [...choices, ...names, ...(names.length > 0 ? ['help'] : [])],
      takesFiles: registeredArguments.some((each) => each.name() === 'file'),
      flags: flagsOf(command, path),
    })
    for (const each of commands) visit(each, [...path, each.name()])
    if (names.length === 0) return
    const help = { path: [...path, 'help'], about: 'help for a command', words: names }
    places.push({ ...help, takesFiles: false, flags: new Map() })
  }
  visit(program, [])
  return places
}

function flagsOf({ options }: Command, path: readonly string[]): Map<string, Value> {
  const flags = new Map<string, Value>()
  for (const option of options) {
    const names = [option.long, option.short].filter((name) => name != null)
    for (const name of names) flags.set(name, valueAfter(option))
  }
  if (path.length === 0) flags.set('--version', 'none')
  return flags.set('--help', 'none')
}

function valueAfter({ argChoices, flags, required, optional, description }: Option): Value {
  if (argChoices !== undefined) return argChoices
  const beginnings = [...description.matchAll(BEGINNING)].map(([beginning]) => beginning)
  if (beginnings.length > 0) return { beginnings }
  // `--config @FILE` takes a text as well: its files are named behind the sign
  if (/<file>/.test(flags) && !/@FILE/.test(description)) return 'file'
  return required || optional ? 'free' : 'none'
}

function bashScript(places: readonly Place[], shell: Shell): string {
  const head = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''
  const groups = places.filter(({ path }) => path.length === 2).map(({ path }) => path.join(' '))
  return `${head}_pentameter() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}"
  local place='' words='' files=''
  [ "$COMP_CWORD" -gt 1 ] && place="\${COMP_WORDS[1]}"
  if [ "$COMP_CWORD" -gt 2 ]; then
    case "$place \${COMP_WORDS[2]}" in
      ${groups.map(quoted).join(' | ')}) place="$place \${COMP_WORDS[2]}" ;;
    esac
  fi
  case "$place:$before" in
${places.flatMap(bashValues).join('\n')}
    *) case "$place" in
${places.map(bashPlace).join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ -z "$files" ] && return
  # zsh and bash before 4 have no compopt: there a folder is completed without its slash
  compopt -o filenames 2>/dev/null
  local IFS=$'\\n'
  COMPREPLY+=($(compgen -f -- "$current"))
}
complete -F _pentameter pentameter
`
}

function quoted(text: string): string {
  return `'${text}'`
}

/** Writes the branches for a word before the cursor that is a flag with a value. */
function bashValues({ path, flags }: Place): string[] {
  const place = path.join(' ')
  const free = [...flags].filter(([, value]) => value === 'free').map(([flag]) => flag)
  const branches = [...flags].flatMap(([flag, value]) => {
    if (value === 'none' || value === 'free') return []
    if (typeof value === 'object' && 'beginnings' in value) {
      const noSpace = 'compopt -o nospace 2>/dev/null'
      return [`    '${place}:${flag}') words='${value.beginnings.join(' ')}'; ${noSpace} ;;`]
    }
    const found = value === 'file' ? 'files=1' : `words='${value.join(' ')}'`
    return [`    '${place}:${flag}') ${found} ;;`]
  })
  const patterns = free.map((flag) => quoted(`${place}:${flag}`))
  return patterns.length === 0
    ? branches
    : [...branches, `    ${patterns.join(' | ')}) COMPREPLY=(); return ;;`]
}

function bashPlace({ path, words, flags, takesFiles }: Place): string {
  const long = [...flags.keys()].filter((flag) => flag.startsWith('--'))
  const all = [...words, ...long].join(' ')
  return `      '${path.join(' ')}') words='${all}'${takesFiles ? ' files=1' : ''} ;;`
}

function fishScript(places: readonly Place[]): string {
  const lines = ['complete -c pentameter -f']
  const abouts = new Map(places.map(({ path, about }) => [path.join(' '), about]))
  for (const { path, words, flags, takesFiles } of places) {
    const condition = fishCondition(path, places)
    const add = (what: string): void => {
      lines.push(`complete -c pentameter -n '${condition}' ${what}`)
    }
    for (const word of words) {
      const about = abouts.get([...path, word].join(' '))
      add(about === undefined ? `-a ${word}` : `-a ${word} -d '${about.replaceAll("'", '’')}'`)
    }
    for (const [flag, value] of flags) {
      const name = flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`
      add(`${name}${fishValue(value)}`)
    }
    if (takesFiles) add('-F')
  }
  return `${lines.join('\n')}\n`
}

/** Writes when the words of a place are offered: behind its own, before those of one below it. */
function fishCondition(path: readonly string[], places: readonly Place[]): string {
  if (path.length === 0) return '__fish_use_subcommand'
  const below = places.filter((each) => each.path.length === path.length + 1)
  const inner = below.filter((each) => path.every((word, i) => each.path[i] === word))
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`)
  if (inner.length > 0) {
    const words = inner.map((each) => each.path.at(-1))
    seen.push(`not __fish_seen_subcommand_from ${words.join(' ')}`)
  }
  return seen.join('; and ')
}

function fishValue(value: Value): string {
  if (value === 'none') return ''
  if (value === 'file') return ' -r -F'
  if (value === 'free') return ' -x'
  return ` -x -a '${('beginnings' in value ? value.beginnings : value).join(' ')}'`
}
