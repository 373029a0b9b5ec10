/** `pentameter history export`: cells of the past for other programs, and for another history. */
import { once } from 'node:events'
import { createWriteStream, renameSync, rmSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import {
  type HistorySnapshot,
  type KeptRange,
  openSnapshot,
} from '../../history/sqlite/offline/snapshot.ts'
import type { StoredSeries } from '../../history/store.ts'
import { identityOf } from '../../model/index.ts'
import { compileGlob } from '../../model/text/glob.ts'
import { CommandError, EXIT_USAGE } from '../../terminal/exit.ts'
import { CSV_HEAD, csvLine } from './csv.ts'
import { familyText, namedSeries, samplesText } from './open-metrics.ts'
import { countText, Progress } from './progress.ts'
import { FORMATS, type Format, rowHead, rowOf } from './rows.ts'

export interface ExportOptions extends KeptRange {
  readonly folder: string
  /** Format; that of the file's name unless given. */
  readonly format?: Format
  /** Path of the file; stdout unless given. */
  readonly output?: string
  /** Name of the series, with * for any run of characters. */
  readonly name: string
}

/** Text that is gathered before it is written, characters. */
const PIECE = 65_536

/** @throws {CommandError} {HistoryError} */
export async function exportHistory(options: ExportOptions): Promise<void> {
  const { output, folder } = options
  const format = options.format ?? formatOf(output)
  if (format === 'parquet' && output === undefined) {
    throw new CommandError('a Parquet file is written to a file: add --output FILE', EXIT_USAGE)
  }
  using snapshot = openSnapshot(folder)
  const isWanted = compileGlob(options.name)
  const series = [...snapshot.series()].filter(({ key }) => isWanted(identityOf(key)?.name ?? ''))
  const work = new Work(snapshot, series, options)
  const draft = output === undefined ? undefined : `${output}.part`
  try {
    if (format === 'parquet') await writeParquet(work, draft!)
    else await writeText(format === 'csv' ? csvText(work) : openMetricsText(work), draft)
  } catch (error) {
    if (draft !== undefined) rmSync(draft, { force: true })
    throw error
  } finally {
    work.progress.end()
  }
  if (draft !== undefined) renameSync(draft, output!)
  const counts = `${countText(work.cells, 'cells')} of ${countText(series.length, 'series')}`
  const damaged = snapshot.damaged === 0 ? '' : `; ${snapshot.damaged} damaged parts left out`
  process.stderr.write(`${counts}${damaged}\n`)
}

function formatOf(output: string | undefined): Format {
  if (output === undefined) return 'openmetrics'
  if (output.endsWith('.csv')) return 'csv'
  if (output.endsWith('.parquet')) return 'parquet'
  if (/\.(om|txt|prom)$/.test(output)) return 'openmetrics'
  const text = `${output}: its name does not say the format; add --format ${FORMATS.join('|')}`
  throw new CommandError(text, EXIT_USAGE)
}

/** Series that are written, and how far that is. */
class Work {
  readonly series: readonly StoredSeries[]
  readonly progress = new Progress('exporting')
  readonly #snapshot: HistorySnapshot
  readonly #range: KeptRange
  cells = 0
  #done = 0

  constructor(snapshot: HistorySnapshot, series: readonly StoredSeries[], range: KeptRange) {
    this.#snapshot = snapshot
    this.series = series
    this.#range = range
  }

  /** Lists the cells of a series. */
  *cellsOf(series: StoredSeries) {
    for (const kept of this.#snapshot.cells(series, this.#range)) {
      this.cells++
      yield kept
    }
    this.progress.show(++this.#done / this.series.length, countText(this.cells, 'cells'))
  }
}

function* csvText(work: Work): Generator<string> {
  yield CSV_HEAD
  for (const series of work.series) {
    const head = rowHead(series)
    if (head === undefined) continue
    for (const kept of work.cellsOf(series)) yield csvLine(rowOf(head, kept))
  }
}

function* openMetricsText(work: Work): Generator<string> {
  let family = ''
  for (const named of namedSeries(work.series)) {
    if (named.family !== family) yield familyText(named)
    family = named.family
    yield* samplesText(named, work.cellsOf(named.stored))
  }
  yield '# EOF\n'
}

/** Writes pieces to a file, or to stdout, as fast as that takes them. */
async function writeText(pieces: Iterable<string>, path: string | undefined): Promise<void> {
  const stream: Writable = path === undefined ? process.stdout : createWriteStream(path)
  if (path !== undefined) await once(stream, 'open')
  let text = ''
  const flush = async (): Promise<void> => {
    if (!stream.write(text)) await once(stream, 'drain')
    text = ''
  }
  for (const piece of pieces) {
    text += piece
    if (text.length >= PIECE) await flush()
  }
  await flush()
  if (path === undefined) return
  stream.end()
  await finished(stream)
}

async function writeParquet(work: Work, path: string): Promise<void> {
  const { ParquetFile } = await import('./parquet.ts')
  const file = new ParquetFile(path)
  for (const series of work.series) {
    const head = rowHead(series)
    if (head === undefined) continue
    for (const kept of work.cellsOf(series)) file.add(rowOf(head, kept))
  }
  file.finish()
}
