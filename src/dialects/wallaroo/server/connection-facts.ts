/**
 * What one connection has shown of its sender (§5, §6): profile, rule of binning, oddities and
 * rejects. For the page; counting allocates nothing for what the frame before had, too.
 */
import type { LengthReading } from '../codec/frame-scan.ts'
import type { MetricsFrame } from '../codec/metrics-frame.ts'
import { type Binning, type ErrorCode, NOTES, type Note, notesOf } from '../spec.ts'
import type { UsualWindows } from './usual-windows.ts'

type Evidence<T extends string> = T | 'mixed' | 'unknown'

export class ConnectionFacts {
  readonly frames = { connect: 0, join: 0, metrics: 0, rejected: 0 }
  order: Evidence<'peer' | 'document'> = 'unknown'
  binning: Evidence<Binning> = 'unknown'
  readonly #notes = new Map<Note, number>()
  /** The mask that came last, which is often the next one too, and its notes. */
  #mask = 0
  #noted: readonly Note[] = []
  readonly #rejects = new Map<ErrorCode, number>()

  metrics(frame: MetricsFrame): void {
    this.frames.metrics++
    const { order } = frame
    if (order === 'peer' || order === 'document') this.order = joined(this.order, order)
    if (this.binning === 'mixed') return
    const binning = frame.binning()
    if (binning !== undefined) this.binning = joined(this.binning, binning)
  }

  /** Takes in what usual frames have shown, all that were taken at once. */
  usual({ taken, order, binning }: Pick<UsualWindows, 'taken' | 'order' | 'binning'>): void {
    this.frames.metrics += taken
    if (order !== undefined) this.order = joined(this.order, order)
    if (binning !== undefined) this.binning = joined(this.binning, binning)
  }

  /** @returns the notes of a mask, counted */
  noted(mask: number): readonly Note[] {
    if (mask !== this.#mask) {
      this.#mask = mask
      this.#noted = notesOf(mask)
    }
    const notes = this.#noted
    for (const note of notes) this.#notes.set(note, (this.#notes.get(note) ?? 0) + 1)
    return notes
  }

  rejected(code: ErrorCode): void {
    this.frames.rejected++
    this.#rejects.set(code, (this.#rejects.get(code) ?? 0) + 1)
  }

  /** Lists facts in display order. */
  list(lengths: LengthReading): Record<string, string | number> {
    const { connect, join, metrics, rejected } = this.frames
    const facts: Record<string, string | number> = {
      ...{ windows: metrics, joins: join, connects: connect, rejected },
      ...{ order: this.order, binning: this.binning, lengths },
    }
    for (const note of NOTES) {
      const count = this.#notes.get(note)
      if (count !== undefined) facts[note] = count
    }
    for (const [code, count] of this.#rejects) facts[code] = count
    return facts
  }
}

function joined<T extends string>(known: Evidence<T>, seen: T | 'mixed'): Evidence<T> {
  return known === 'unknown' || known === seen ? seen : 'mixed'
}
