/**
 * One hub that is attached to this one: how far it was told, and of which series. What waits for it
 * is its place in the seconds that are kept; a slow one costs no memory but that of its socket.
 */
import type { Frame } from '../../../hub/live/frame.ts'
import type { Task } from '../../../hub/tasks/task.ts'
import { KINDS } from '../../../model/index.ts'
import type { Peer } from '../../endpoints.ts'
import { ByteWriter } from '../codec/byte-writer.ts'
import { writeEnd, writeHello, writeSeries } from '../codec/words.ts'
import { formOf, type KeptSeries } from '../map.ts'
import { BODY_BYTES, TYPE, VERSION } from '../spec.ts'
import { IdSet } from './id-set.ts'

/** Way to an attached hub. */
export interface ReaderOutput {
  readonly peer: Peer
  readonly sinceMs: number
  /** Bytes that wait to be taken. */
  readonly waitingBytes: number
  write(bytes: Uint8Array): void
  end(): void
}

/** A closed second, with its number since the hub started. */
export interface NumberedFrame {
  readonly sequence: number
  readonly frame: Frame
}

/** Series as readers are told of it: its key, and its metadata as JSON. */
export interface TellableSeries extends KeptSeries {
  readonly key: Uint8Array
  readonly metadataBytes: Uint8Array
}

/** Bytes that may wait in the socket when another second is begun. */
const WAITING_BYTES = 1_048_576
const IDS_PER_STEP = 1024

export class Reader {
  readonly output: ReaderOutput
  /** Sequence of the last second that was told. */
  #sequence: number
  #told = 0
  readonly #known = new IdSet()
  #gone: number[] = []

  /** @param after sequence of the last second that it has */
  constructor(output: ReaderOutput, after: number) {
    this.output = output
    this.#sequence = after
  }

  /** Sequence of the last second that was told, and how many were. */
  get progress(): { readonly sequence: number; readonly told: number } {
    return { sequence: this.#sequence, told: this.#told }
  }

  greet(hub: { readonly start: string; readonly hub: string; readonly nowMs: number }): void {
    const out = new ByteWriter()
    writeHello(out, { version: VERSION, ...hub, first: this.#sequence + 1 })
    this.output.write(out.message(TYPE.hello))
  }

  /** Whether it has room for another second. */
  get hasRoom(): boolean {
    return this.output.waitingBytes < WAITING_BYTES
  }

  /** Tells a series anew with its next cell: its metadata are others now. */
  change(id: number): void {
    this.#known.delete(id)
  }

  /** Tells with the next second that a series is no more. */
  leave(id: number): void {
    if (this.#known.delete(id)) this.#gone.push(id)
  }

  /**
   * Tells a second.
   * @param cells its messages
   * @param seriesOf undefined for a series that is not told, or is no more
   */
  *tell(
    { sequence, frame }: NumberedFrame,
    cells: readonly Uint8Array[],
    seriesOf: (id: number) => TellableSeries | undefined,
    nowMs: number,
  ): Task {
    this.#sequence = sequence
    this.#told++
    yield* this.#tellSeries(frame, seriesOf)
    for (const message of cells) this.output.write(message)
    const out = new ByteWriter()
    for (const ref of this.#gone.splice(0)) {
      out.u32(ref)
      if (out.size >= BODY_BYTES) this.output.write(out.message(TYPE.gone))
    }
    if (out.size > 0) this.output.write(out.message(TYPE.gone))
    writeEnd(out, { sequence, endMs: frame.endMs, seconds: frame.seconds, nowMs })
    this.output.write(out.message(TYPE.end))
  }

  *#tellSeries(frame: Frame, seriesOf: (id: number) => TellableSeries | undefined): Task {
    const out = new ByteWriter()
    let steps = 0
    for (const kind of KINDS) {
      for (const id of frame.ids(kind)) {
        if (++steps % IDS_PER_STEP === 0) yield
        if (this.#known.has(id)) continue
        const series = seriesOf(id)
        if (series === undefined) continue
        this.#known.add(id)
        writeSeries(out, { ref: id, form: formOf(series), key: series.key }, series.metadataBytes)
        if (out.size >= BODY_BYTES) this.output.write(out.message(TYPE.series))
      }
    }
    if (out.size > 0) this.output.write(out.message(TYPE.series))
  }
}
