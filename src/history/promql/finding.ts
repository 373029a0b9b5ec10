/**
 * Series of a time as an engine lists them: label sets, of which those of one series are put
 * together, under the name that a hub would write so. What they were called before is not known.
 */
import { type Identity, identityKey, type Kind, sortLabels } from '../../model/index.ts'
import { seriesFilter } from '../../model/text/series-filter.ts'
import { type FoundSeries, HistoryError, type PastQuery, type PastSeries } from '../store.ts'
import type { EngineClient } from './engine-client.ts'
import { BOUND_LABEL, escaped, HUB_LABEL, labelsKey, NAME_LABEL, quoted } from './written.ts'

/** Label sets of one answer. */
const ROWS_LIMIT = 200_000
/** Label keys that a word is looked for in by the engine; with more of them, it is by the hub. */
const KEYS_LIMIT = 64
const LEGACY_KEY = /^[A-Za-z_][A-Za-z0-9_]*$/
/** Series that are told: each is compared with those that a hub has. */
const SERIES_LIMIT = 5000
/** Metadata of what is not known but for who wrote it. */
const METADATA = { dialect: 'engine' }
const BUCKET = '_bucket'
const COUNT = '_count'
const SUM = '_sum'
const TOTAL = '_total'
const ENDINGS = [BUCKET, COUNT, SUM, TOTAL]

/** @throws {HistoryError} `too_large` for more than is told, or as the client has it */
export async function findWritten(
  client: EngineClient,
  query: PastQuery,
  hub: string | undefined,
  signal: AbortSignal,
): Promise<FoundSeries> {
  const whose = hub === undefined ? `${HUB_LABEL}!=""` : `${HUB_LABEL}=${quoted(hub)}`
  const span: Parameter[] = [
    ['start', String(query.fromS)],
    ['end', String(query.toS)],
  ]
  const ask = (path: string, matches: readonly string[]): Promise<unknown> => {
    const parameters = [...span, ...matches.map((match): Parameter => ['match[]', `{${match}}`])]
    return client.ask(path, parameters, signal)
  }
  const word = wordForEngine(query.filter)
  const matchers = word && matchersOf(word, keysOf(await ask('labels', [whose])))
  const all = matchers ? matchers.map((matcher) => `${whose},${matcher}`) : [whose]
  if (all.length === 0) return { series: [], total: 0 }
  const answers = await Promise.all([
    ask(
      'series',
      all.map((match) => `${match},${NAME_LABEL}!~".+${BUCKET}"`),
    ),
    // of a histogram one bucket is enough
    ask(
      'series',
      all.map((match) => `${match},${NAME_LABEL}=~".+${BUCKET}",${BOUND_LABEL}="+Inf"`),
    ),
  ])
  const filter = seriesFilter(query)
  const series: PastSeries[] = []
  for (const identity of identitiesOf(answers.flatMap(rowsOf))) {
    if (!filter({ kind: identity.kind, identity, metadata: METADATA })) continue
    series.push({ key: identityKey(identity), metadata: METADATA })
  }
  if (series.length <= SERIES_LIMIT) return { series, total: series.length }
  throw new HistoryError('too_large', `${series.length} series, limit ${SERIES_LIMIT}`)
}

type Parameter = [name: string, value: string]

/**
 * Chooses the word that the engine looks for, the longest; undefined where there is none that no
 * ending of a row's name can be taken for, for all rows of a series are needed to tell its kind.
 */
function wordForEngine(filter: string): string | undefined {
  const words = filter.split(/\s+/).filter((word) => {
    const small = word.toLowerCase()
    return word !== '' && !/^(dialect|kind)=/.test(small) && !ENDINGS.some(overlapping(small))
  })
  return words.sort((a, b) => b.length - a.length)[0]
}

/** Tells whether a word may stand in an ending, or lead into it. */
function overlapping(word: string): (ending: string) => boolean {
  return (ending) => {
    if (ending.includes(word)) return true
    return Array.from(ending, (_, i) => ending.slice(0, i + 1)).some((each) => word.endsWith(each))
  }
}

function keysOf(data: unknown): string[] {
  if (!Array.isArray(data)) throw bad('no list of labels')
  if (!data.every((each) => typeof each === 'string')) throw bad('a label that is no text')
  return data.filter((key) => key !== HUB_LABEL)
}

/**
 * Writes matchers of which one at least fits each series that a word is found in, in its name or in
 * `key=value`; undefined where they can't be written, or would be too many.
 */
function matchersOf(word: string, keys: readonly string[]): string[] | undefined {
  if (keys.length > KEYS_LIMIT || !keys.every((key) => LEGACY_KEY.test(key))) return undefined
  return keys.map((key) => {
    const anywhere = `.*${escaped(word)}.*`
    const isName = key === NAME_LABEL
    if (!isName && key.toLowerCase().includes(word.toLowerCase())) return `${key}!=""`
    const [start = '', ...rest] = word.split('=')
    const isKey = !isName && rest.length > 0 && key.toLowerCase().endsWith(start.toLowerCase())
    const pattern = isKey ? `${anywhere}|${escaped(rest.join('='))}.*` : anywhere
    return `${key}=~${quoted(`(?is:${pattern})`)}`
  })
}

type Row = ReadonlyMap<string, string>

function rowsOf(data: unknown): Row[] {
  if (!Array.isArray(data)) throw bad('no list of series')
  if (data.length > ROWS_LIMIT) {
    throw new HistoryError('too_large', `answer of ${data.length} series, limit ${ROWS_LIMIT}`)
  }
  return data.map((each: unknown) => {
    if (typeof each !== 'object' || each === null) throw bad('a series without labels')
    const row = new Map<string, string>()
    for (const [key, value] of Object.entries(each)) {
      if (typeof value !== 'string') throw bad(`label ${key} that is no text`)
      row.set(key, value)
    }
    return row
  })
}

function bad(what: string): HistoryError {
  return new HistoryError('bad_answer', `the engine's answer has ${what} in it`)
}

/** Puts rows together that are of one series, whatever hubs wrote them. */
function* identitiesOf(rows: readonly Row[]): Iterable<Identity> {
  const groups = new Map<string, { labels: Identity['labels']; names: Set<string> }>()
  for (const row of rows) {
    const own = new Set([NAME_LABEL, HUB_LABEL])
    const name = row.get(NAME_LABEL) ?? ''
    if (name.endsWith(BUCKET)) own.add(BOUND_LABEL)
    const labels = sortLabels([...row].filter(([key]) => !own.has(key)))
    const key = labelsKey(labels)
    const group = groups.get(key) ?? { labels, names: new Set() }
    groups.set(key, group)
    group.names.add(name)
  }
  for (const { labels, names } of groups.values()) {
    for (const name of names) {
      const found = nameOf(name, names)
      if (found !== undefined) yield { ...found, labels }
    }
  }
}

/** Tells what a row is one of; undefined for one that another row of its series stands for. */
function nameOf(
  row: string,
  names: ReadonlySet<string>,
): { readonly name: string; readonly kind: Kind } | undefined {
  if (names.has(row + BUCKET)) return undefined // the native form of a histogram
  const ending = ENDINGS.find((each) => row.endsWith(each) && row.length > each.length)
  const name = row.slice(0, row.length - (ending?.length ?? 0))
  if (ending === BUCKET) return { name, kind: 'histogram' }
  if (ending === TOTAL) return { name, kind: 'counter' }
  if (ending === COUNT && names.has(name + SUM)) {
    return names.has(name + BUCKET) ? undefined : { name, kind: 'summary' }
  }
  if (ending === SUM && names.has(name + COUNT)) return undefined
  return { name: row, kind: 'gauge' }
}
