/** Writes down what a scanner visits, as numbers and bytes: no message is made of it. */
import assert from 'node:assert/strict'
import { latin1, Transcript } from '../../../../../test/fuzz/engine/transcript.ts'
import type { FrameVisitor } from '../../codec/frame-visitor.ts'
import { toBigInt } from '../../codec/halves.ts'
import type { MetricsFrame } from '../../codec/metrics-frame.ts'
import type { SeriesIndex } from '../../rollup/series-index.ts'
import { ERROR_CODES, NOTES } from '../../spec.ts'

const CODES: ReadonlySet<string> = new Set(ERROR_CODES)
const NOTED: ReadonlySet<string> = new Set(NOTES)

export class Recorder implements FrameVisitor {
  readonly said = new Transcript()
  /** Frames of any kind. */
  visited = 0
  truncated = 0
  isTooLarge = false
  /**
   * Series by their names, as the hub keeps them: a frame of one that is known is read along its
   * last one, which must change nothing. Without it, every frame is parsed.
   */
  index: SeriesIndex<string> | undefined

  reset(index?: SeriesIndex<string>): void {
    this.said.reset()
    this.visited = 0
    this.truncated = 0
    this.isTooLarge = false
    this.index = index
  }

  connect(notes: number): void {
    this.visited++
    this.said.add('connect').add(notes)
  }

  join(
    bytes: Uint8Array,
    applicationStart: number,
    applicationEnd: number,
    workerStart: number,
    workerEnd: number,
    notes: number,
  ): void {
    this.visited++
    this.said.add('join').bytes(bytes, applicationStart, applicationEnd)
    this.said.add(workerStart < 0 ? null : latin1(bytes, workerStart, workerEnd)).add(notes)
  }

  metrics(frame: MetricsFrame): void {
    this.visited++
    const { said } = this
    const { bytes, filled, high, low } = frame
    said.add('metrics').bytes(bytes, frame.applicationStart, frame.applicationEnd)
    said.bytes(bytes, frame.nameStart, frame.nameEnd)
    said.bytes(bytes, frame.categoryStart, frame.categoryEnd)
    said.bytes(bytes, frame.workerStart, frame.workerEnd)
    said.bytes(bytes, frame.pipelineStart, frame.pipelineEnd)
    said.add(frame.id).add(frame.payloadSize).add(frame.payloadHeader)
    for (let i = 0; i < frame.filledCount; i++) {
      const bin = filled[i]!
      said.add(bin).add(high[bin]!).add(low[bin]!)
    }
    said.add(frame.order)
    said.add(frame.isMinKnown ? toBigInt(frame.minHigh, frame.minLow) : null)
    said.add(frame.isMaxKnown ? toBigInt(frame.maxHigh, frame.maxLow) : null)
    said.add(frame.periodNs()).add(frame.endNs()).add(frame.notes)
    if (this.index !== undefined) this.#recognise(frame, this.index)
  }

  #recognise(frame: MetricsFrame, index: SeriesIndex<string>): void {
    const { bytes, applicationStart, applicationEnd, nameStart, pipelineEnd } = frame
    const application = latin1(bytes, applicationStart, applicationEnd)
    const key = `${application} ${latin1(bytes, nameStart - 4, pipelineEnd)}`
    const known = index.find(frame)
    if (known === undefined) index.add(frame, key)
    else assert.equal(known, key, 'a frame is taken for one of another series')
  }

  reject(code: string): void {
    assert.ok(CODES.has(code), code)
    assert.ok(!this.isTooLarge, 'nothing comes after a length that is too large')
    if (code === 'frame_too_large') this.isTooLarge = true
    else this.visited++
    this.said.add('reject').add(code)
  }

  note(note: string): void {
    assert.ok(NOTED.has(note), note)
    if (note === 'truncated_at_close') this.truncated++
    this.said.add('note').add(note)
  }
}
