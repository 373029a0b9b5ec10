/**
 * A closed second as messages: the cells of all series that are told, the same bytes for all who
 * are attached. Made in steps, of some 64 KiB each.
 */
import type { Frame } from '../../../hub/live/frame.ts'
import type { Task } from '../../../hub/tasks/task.ts'
import type { Exact, Kind } from '../../../model/index.ts'
import { PackedHistograms } from '../../../model/packed/packed-histogram.ts'
import { ByteWriter } from '../codec/byte-writer.ts'
import {
  type PlainSpread,
  writeGauges,
  writeHistogram,
  writeNumbers,
  writeSummary,
} from '../codec/cells.ts'
import { BODY_BYTES, TYPE } from '../spec.ts'

/** Cells of counters or gauges of one message. */
const NUMBERS_PER_MESSAGE = 4096

/** @param isTold tells whether others are told of a series */
export function* toldFrame(frame: Frame, isTold: (id: number) => boolean): Task<Uint8Array[]> {
  const out = new ByteWriter()
  const messages: Uint8Array[] = []
  yield* numbers(frame, 'counter', isTold, (refs, rows) => {
    writeNumbers(out, { refs, cells: rows.map((row) => frame.deltaAt(row)) })
    messages.push(out.message(TYPE.counters))
  })
  const spreadsByRow = new Map(frame.spreads())
  yield* numbers(frame, 'gauge', isTold, (refs, rows) => {
    const cells: Exact[] = rows.map((row) => frame.gaugeAt(row))
    const spreads = new Map<number, PlainSpread>()
    for (const [place, row] of rows.entries()) {
      const spread = spreadsByRow.size === 0 ? undefined : spreadsByRow.get(row)
      if (spread !== undefined) spreads.set(place, spread)
    }
    writeGauges(out, { refs, cells, spreads })
    messages.push(out.message(TYPE.gauges))
  })
  const { places, packed } = frame.packedHistograms()
  const histograms = PackedHistograms.of(packed)
  yield* sized(frame.histogramIds, TYPE.histograms, isTold, out, messages, (id, row) =>
    writeHistogram(out, id, histograms.bytesAt(places[row]!)),
  )
  yield* sized(frame.summaryIds, TYPE.summaries, isTold, out, messages, (id, row) =>
    writeSummary(out, id, frame.summaryAt(row)),
  )
  return messages
}

function* numbers(
  frame: Frame,
  kind: Kind,
  isTold: (id: number) => boolean,
  write: (refs: readonly number[], rows: readonly number[]) => void,
): Task {
  const ids = frame.ids(kind)
  let refs: number[] = []
  let rows: number[] = []
  for (let row = 0; row < ids.length; row++) {
    if (isTold(ids[row]!)) {
      refs.push(ids[row]!)
      rows.push(row)
    }
    const isLast = row === ids.length - 1
    if (refs.length === 0 || (refs.length < NUMBERS_PER_MESSAGE && !isLast)) continue
    write(refs, rows)
    refs = []
    rows = []
    yield
  }
}

function* sized(
  ids: Uint32Array,
  type: number,
  isTold: (id: number) => boolean,
  out: ByteWriter,
  messages: Uint8Array[],
  write: (id: number, row: number) => void,
): Task {
  for (let row = 0; row < ids.length; row++) {
    if (isTold(ids[row]!)) write(ids[row]!, row)
    if (out.size < BODY_BYTES && row < ids.length - 1) continue
    if (out.size > 0) messages.push(out.message(type))
    yield
  }
}
