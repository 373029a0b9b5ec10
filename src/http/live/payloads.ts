/**
 * Cells of a frame as text, made once for all streams: a fragment per series and a payload per
 * selection. They are kept for the newest second only, which is what most streams show; windows of
 * longer intervals and replays belong to one stream each.
 */
import { netDelta } from '../../hub/live/canonical-values.ts'
import type { Frame } from '../../hub/live/frame.ts'
import { mergeSelected } from '../../hub/live/merge-frames.ts'
import { decrementsId, type SeriesRecord } from '../../hub/series/record.ts'
import type { Task } from '../../hub/tasks/task.ts'
import type { HubView } from '../../hub/view.ts'
import type { GaugeSpread, Kind } from '../../model/index.ts'
import { type Pieces, ROWS_PER_STEP } from '../pieces.ts'
import { deltaJson, histogramCell, numberJson, summaryCell } from '../query/cell-json.ts'

/** A set of series; equal sets have equal keys. */
export interface Selection {
  /** Ids in rising order. */
  readonly ids: readonly number[]
  readonly key: string
}

interface FrameTexts {
  readonly frame: Frame
  readonly fragments: Map<number, string>
  /** Payloads by the key of the selection. */
  readonly payloads: Map<string, Buffer>
}

export class LivePayloads {
  readonly #view: Pick<HubView, 'series' | 'live' | 'wasAway'>
  #newest: FrameTexts | undefined

  constructor(view: Pick<HubView, 'series' | 'live' | 'wasAway'>) {
    this.#view = view
  }

  /** Makes the `cells` event of a frame for a selection. */
  event(frame: Frame, { ids, key }: Selection): Buffer {
    const texts = this.#textsOf(frame)
    let payload = texts.payloads.get(key)
    if (payload === undefined) {
      const data = this.#cells(frame, ids, texts.fragments)
      payload = eventOf(frame, data)
      texts.payloads.set(key, payload)
    }
    return payload
  }

  /** Tells whether an event costs little: it is made already, or of few series. */
  isCheap(frame: Frame, { ids, key }: Selection): boolean {
    return ids.length <= ROWS_PER_STEP || this.#newestOf(frame)?.payloads.has(key) === true
  }

  /**
   * Makes the same of several frames together, in steps; one of several belongs to one client, so
   * nothing of it is kept.
   */
  *replay(frames: readonly Frame[], { ids, key }: Selection): Task<Buffer> {
    const [only] = frames
    const isWhole = only !== undefined && frames.length === 1
    const known = isWhole ? this.#newestOf(only)?.payloads.get(key) : undefined
    if (known !== undefined) return known
    const kindOf = (id: number): Kind | undefined => this.#view.series.get(id)?.identity.kind
    const frame = isWhole ? only : yield* mergeSelected(frames, this.#withParts(ids), kindOf)
    let json = ''
    for (const piece of this.json(frame, ids)) {
      json += piece ?? ''
      yield
    }
    const event = eventOf(frame, json)
    this.#newestOf(frame)?.payloads.set(key, event)
    return event
  }

  /** Adds the ids of decrements, which are told with their counters. */
  #withParts(ids: readonly number[]): readonly number[] {
    const parts = ids.flatMap((id) => decrementsId(this.#view.series.get(id)) ?? [])
    return parts.length === 0 ? ids : [...ids, ...parts].sort((a, b) => a - b)
  }

  /** Writes the CellsEvent of a frame as JSON text, in pieces. */
  *json(frame: Frame, ids: readonly number[]): Pieces<string> {
    const { fragments } = this.#textsOf(frame)
    for (let from = 0; from < ids.length; from += ROWS_PER_STEP) {
      this.#cells(frame, ids.slice(from, from + ROWS_PER_STEP), fragments)
      yield
    }
    yield this.#cells(frame, ids, fragments)
  }

  #newestOf(frame: Frame): FrameTexts | undefined {
    return this.#newest?.frame === frame ? this.#newest : undefined
  }

  #textsOf(frame: Frame): FrameTexts {
    if (this.#newest?.frame === frame) return this.#newest
    const texts: FrameTexts = { frame, fragments: new Map(), payloads: new Map() }
    if (frame === this.#view.live.newest) this.#newest = texts
    return texts
  }

  /** Tells whether a counter of which nothing came did not stand still: its peer was away. */
  #isGap({ kind, source }: SeriesRecord, { endMs, seconds }: Frame): boolean {
    return kind === 'counter' && this.#view.wasAway(source, endMs - seconds * 1000, endMs)
  }

  #cells(frame: Frame, ids: Iterable<number>, fragments: Map<number, string>): string {
    const lists: Record<Kind, string> = { counter: '', gauge: '', histogram: '', summary: '' }
    for (const id of ids) {
      const record = this.#view.series.get(id)
      if (record === undefined) continue
      const { kind } = record
      let fragment = fragments.get(id)
      if (fragment === undefined) {
        fragment = fragmentOf(frame, record)
        if (fragment === '' && this.#isGap(record, frame)) fragment = `[${id},null]`
        fragments.set(id, fragment)
      }
      if (fragment !== '') lists[kind] += lists[kind] === '' ? fragment : `,${fragment}`
    }
    const { counter, gauge, histogram, summary } = lists
    return (
      `{"endMs":${frame.endMs},"intervalMs":${frame.seconds * 1000},"counters":[${counter}],` +
      `"gauges":[${gauge}],"histograms":[${histogram}],"summaries":[${summary}]}`
    )
  }
}

function eventOf(frame: Frame, data: string): Buffer {
  return Buffer.from(`event: cells\nid: ${frame.endMs}\ndata: ${data}\n\n`)
}

/** Writes `[id,cell]`; empty where nothing happened to the series in the frame. */
function fragmentOf(frame: Frame, record: SeriesRecord): string {
  const { id, kind } = record
  if (kind === 'counter') {
    const delta = netDelta(record, frame)
    return delta === undefined ? '' : `[${id},${deltaJson(delta)}]`
  }
  const row = frame.row(id, kind)
  if (row < 0) return ''
  switch (kind) {
    case 'gauge':
      return `[${id},${numberJson(frame.gaugeValues[row]!)}${spreadJson(frame.spreadAt(row))}]`
    case 'histogram':
      return `[${id},${JSON.stringify(histogramCell(frame.histogramAt(row)))}]`
    case 'summary':
      return `[${id},${JSON.stringify(summaryCell(frame.summaryAt(row)))}]`
  }
}

/** Writes what a gauge went through behind its value, where more is known. */
function spreadJson(spread: GaugeSpread | undefined): string {
  if (spread === undefined) return ''
  const { first, min, max, count } = spread
  const [a, b, c] = [first, min, max].map(numberJson)
  return `,{"first":${a},"min":${b},"max":${c},"count":${count}}`
}

export function selectionOf(ids: Iterable<number>): Selection {
  const sorted = [...new Set(ids)].sort((a, b) => a - b)
  return { ids: sorted, key: sorted.join() }
}
