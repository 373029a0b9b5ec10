/**
 * Series of a time as an engine lists them: label sets, of which those of one series are put
 * together, under the name that a hub would write so. What they were called before is not known.
 */
import { type Identity, identityKey, type Kind, sortLabels } from '../../model/index.ts'
import { seriesFilter } from '../../model/text/series-filter.ts'
import { type FoundSeries, HistoryError, type PastQuery, type PastSeries } from '../store.ts'
import type { EngineClient } from './engine-client.ts'
import { BOUND_LABEL, HUB_LABEL, labelsKey, NAME_LABEL } from './written.ts'

/** Label sets of one answer. */
const ROWS_LIMIT = 200_000
/** Series that are told: each is compared with those that a hub has. */
const SERIES_LIMIT = 5000
/** Metadata of what is not known but for who wrote it. */
const METADATA = { dialect: 'engine' }
const BUCKET = '_bucket'
const COUNT = '_count'
const SUM = '_sum'
const TOTAL = '_total'

/** @throws {HistoryError} `too_large` for more than is told, or as the client has it */
export async function findWritten(
  client: EngineClient,
  query: PastQuery,
  hub: string | undefined,
  signal: AbortSignal,
): Promise<FoundSeries> {
  const whose = hub === undefined ? `${HUB_LABEL}!=""` : `${HUB_LABEL}=${JSON.stringify(hub)}`
  const span = { start: String(query.fromS), end: String(query.toS) }
  // of a histogram one bucket is enough
  const matches = [
    `{${whose},${NAME_LABEL}!~".+${BUCKET}"}`,
    `{${whose},${NAME_LABEL}=~".+${BUCKET}",${BOUND_LABEL}="+Inf"}`,
  ]
  const answers = await Promise.all(
    matches.map((match) => client.ask('series', { ...span, 'match[]': match }, signal)),
  )
  const filter = seriesFilter(query)
  const series: PastSeries[] = []
  for (const identity of identitiesOf(answers.flatMap(rowsOf))) {
    if (!filter({ kind: identity.kind, identity, metadata: METADATA })) continue
    series.push({ key: identityKey(identity), metadata: METADATA })
  }
  if (series.length <= SERIES_LIMIT) return { series, total: series.length }
  throw new HistoryError('too_large', `${series.length} series, limit ${SERIES_LIMIT}`)
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
  const without = (ending: string): string => row.slice(0, -ending.length)
  if (row.endsWith(BUCKET)) return { name: without(BUCKET), kind: 'histogram' }
  if (names.has(row + BUCKET)) return undefined // the native form of a histogram
  if (row.endsWith(COUNT) && names.has(without(COUNT) + SUM)) {
    const name = without(COUNT)
    return names.has(name + BUCKET) ? undefined : { name, kind: 'summary' }
  }
  if (row.endsWith(SUM) && names.has(without(SUM) + COUNT)) return undefined
  if (row.endsWith(TOTAL)) return { name: without(TOTAL), kind: 'counter' }
  return { name: row, kind: 'gauge' }
}
