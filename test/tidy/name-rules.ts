/** Names: where a dialect may be named, and words that have given way to terms of the field. */
import { IMPORT_TABLE, roomOf } from './import-rules.ts'
import { isTest, lineAt, type Rule, type TidyFile, type Tree, type Violation } from './tree.ts'

const REGISTRY = 'src/dialects/index.ts'
const ENDINGS = ['.ts', '.tsx', '.css', '.html'] as const

/**
 * Names of dialects that are words of the field as well (OTLP has scopes, and is that of
 * OpenTelemetry): of these count the folder, the registry name as a text or a scheme, and what only
 * the dialect has.
 */
const FIELD_WORDS: ReadonlySet<string> = new Set(['scope', 'opentelemetry'])

/**
 * Texts on the wire of one dialect, by its folder, that are the name of another one: .NET's stream
 * says `EventCounters` in front of each payload of a counter, metrics of OTLP have a scope.
 */
const WIRE_TEXTS: Readonly<Record<string, RegExp>> = {
  'src/dialects/nettrace/': /'EventCounters'|'EventCounterIntervalSec'/g,
  'src/dialects/opentelemetry/': /\['scope'/g,
}

/** Takes such texts out; lines stay. */
function withoutWireTexts({ path, text }: TidyFile): TidyFile {
  const [, own] = Object.entries(WIRE_TEXTS).find(([folder]) => path.startsWith(folder)) ?? []
  return own === undefined ? { path, text } : { path, text: text.replaceAll(own, '""') }
}

export const dialectNames: Rule = {
  title: 'a dialect is named in its own folder and in the one line that registers it, nowhere else',
  check(tree) {
    const patterns = dialectsOf(tree)
    return tree.under('src', ...ENDINGS).flatMap((file) => {
      if (isTest(file.path) || file.path === REGISTRY) return []
      return [...patterns].flatMap(([name, pattern]) => {
        if (file.path.startsWith(`src/dialects/${name}/`) || knows(file.path, name)) return []
        const message = `names dialect ${name}: move this to its folder, or ask the contract`
        return linesOf(withoutWireTexts(file), pattern).map((line) => ({
          path: file.path,
          line,
          message,
        }))
      })
    })
  },
}

/** A room whose row of the import table names one dialect (instrument) is a half of it. */
function knows(path: string, name: string): boolean {
  const room = roomOf(path)
  return room !== undefined && IMPORT_TABLE[room]?.includes(`dialects/${name}`) === true
}

/** Patterns of all ways to write the name of a dialect, by folder. */
function dialectsOf(tree: Tree): ReadonlyMap<string, RegExp> {
  const folders = tree.folders.filter((path) => /^src\/dialects\/[^/]+$/.test(path))
  return new Map(
    folders.map((folder) => {
      const name = folder.slice('src/dialects/'.length)
      const title = /\btitle: '([^']+)'/.exec(tree.read(`${folder}/dialect.ts`) ?? '')?.[1] ?? ''
      return [name, FIELD_WORDS.has(name) ? formsOf(name) : spellingsOf(name, title)]
    }),
  )
}

function formsOf(name: string): RegExp {
  const own = '(?:viewer|server|client|packet|dialect|document)s?\\b'
  return new RegExp(
    `dialects/${name}\\b|config\\.${name}\\b|'${name}'|\\b${name}://|\\b${name} ${own}`,
    'gi',
  )
}

/** `statshero` of the title `Stats Hero` is Stats Hero, stats-hero, STATS_HERO, statsHero. */
function spellingsOf(name: string, title: string): RegExp {
  const words: string[] = []
  for (const word of title.split(/[^a-zA-Z0-9]+|(?<=[a-z])(?=[A-Z])/)) {
    if (words.join('') !== name) words.push(word.toLowerCase())
  }
  const spelling = words.join('') === name ? words.join('[ _-]?') : name
  return new RegExp(spelling.replace(/s$/, 's?'), 'gi')
}

/** Names that meant several things, and what each of them is called now. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  Pass: 'TimeSlicedTask for closing a second, handBack for a socket',
  Passes: 'ViewQueue',
  Turn: 'LoopBudget, or Collection in instrument',
  TurnBudget: 'LoopBudget',
  Steps: 'Task',
  inTurns: 'runSliced',
  Grid: 'Ticker, Schedule or ScreenBuffer',
  TickGrid: 'Ticker or Schedule',
  CounterCell: 'WindowState or CounterSlot; cells are those of the model',
  OrderedLane: 'CommandQueue',
  OrderedVerbs: 'CommandQueue',
  Said: 'WindowMessage',
  Told: 'lastWindow',
  Meaning: 'SeriesMapping',
  Described: 'Descriptor',
  Departures: 'SeriesExpiry',
  Speaker: 'DialectBinding',
  EmitError: 'EncodeError',
  Pipelines: 'a name that begins with that of its dialect',
  HubPipelines: 'a name that begins with that of its dialect',
  ServedByHttp: 'a name that begins with that of its dialect',
}
const OLD_FILES: ReadonlySet<string> = new Set(
  ['pass', 'passes', 'turn', 'steps', 'grid', 'tick-grid', 'departures', 'speaker'].concat([
    'way-out',
    'said',
    'told',
    'ordered-lane',
    'served-by-http',
  ]),
)
/** Every use as a name: a declaration, a parameter, a type, a call. */
const OLD_NAME = new RegExp(`\\b(?:${Object.keys(OLD_NAMES).join('|')})\\b`, 'g')
const PROSE = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"[^"\n]*"|`(?:\\.|[^`\\])*`/g
/** Only as what runs a task to its end: a method `finish` is any word. */
const FINISH = /^export function\*? finish\b/gm

export const oldNames: Rule = {
  title: 'nothing is called by a name that meant several things: the glossary has one for each',
  check: (tree) =>
    tree.under('src', '.ts', '.tsx').flatMap((file) => [
      ...oldFile(file),
      ...[...withoutProse(file.text).matchAll(OLD_NAME)]
        .filter(({ 0: name }) => !isOfModel(file, name))
        .map(({ 0: name, index }) => violation(file, index, `${name} is now ${OLD_NAMES[name]}`)),
      ...linesOf(file, FINISH).map((line) => {
        return { path: file.path, line, message: 'finish of a task is now runNow' }
      }),
      ...linesOf(file, /\bisDown\b/g).map((line) => {
        return { path: file.path, line, message: 'isDown is now decrements' }
      }),
      ...linesOf(file, /\b(?:\w+V|v)erbs\b/g).map((line) => {
        return { path: file.path, line, message: 'verbs are now commands, each an operation' }
      }),
    ]),
}

/** Blanks comments and texts, so that positions stay: names are words there. */
function withoutProse(text: string): string {
  return text.replace(PROSE, (part) => part.replace(/[^\n]/g, ' '))
}

const DECLARES_CELL = /\b(?:class|interface|const) CounterCell\b|\btype CounterCell\s*=/

/** Cells are the model's; a file that uses one under that name declares no other. */
function isOfModel({ path, text }: TidyFile, name: string): boolean {
  return name === 'CounterCell' && (path.startsWith('src/model/') || !DECLARES_CELL.test(text))
}

function oldFile({ path }: TidyFile): Violation[] {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '')
  if (!OLD_FILES.has(name)) return []
  return [{ path, line: 0, message: `rename ${name}: the glossary has a word for what it is` }]
}

/** Types of the public face that two places declared, each with other fields. */
const DECLARED_ONCE = ['Refusal', 'ConnectionStatus', 'DecodeError', 'EncodeError', 'EmitError']

export const declaredOnce: Rule = {
  title: `src declares ${DECLARED_ONCE.join(', ')} once at most`,
  check(tree) {
    const files = tree.under('src', '.ts', '.tsx').filter(({ path }) => !isTest(path))
    return DECLARED_ONCE.flatMap((name) => {
      const pattern = new RegExp(`^export (?:class|interface|type) ${name}\\b(?!,)`, 'gm')
      const [first, ...others] = files.flatMap((file) => {
        return [...file.text.matchAll(pattern)].map(({ index }) => ({ file, index }))
      })
      return others.map(({ file, index }) => {
        return violation(file, index, `${name} is declared in ${first!.file.path} already`)
      })
    })
  },
}

function violation({ path, text }: TidyFile, position: number, message: string): Violation {
  return { path, line: lineAt(text, position), message }
}

/** Numbers of the lines where a pattern fits, each once. */
function linesOf({ text }: TidyFile, pattern: RegExp): number[] {
  return [...new Set([...text.matchAll(pattern)].map(({ index }) => lineAt(text, index)))]
}
