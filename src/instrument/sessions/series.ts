/** The windows of one interval on one grid: of one session, or shared by those that want all. */
import type { CounterWindow } from '../../dialects/eventcounters/window.ts'
import type { Member, SeriesWindow } from './members.ts'
import type { Grid } from './schedule.ts'
import type { Pass } from './served-counter.ts'

export class Series {
  readonly intervalMs: number
  readonly grid: Grid
  isOpen = true
  /** Number of the pass in which it was due last. */
  passNumber = 0
  /** What that pass has closed so far, and whose it is, in the order of counter creation. */
  closed: CounterWindow[] = []
  closedOf: Member[] = []
  /** Length of the interval that ended last. */
  elapsedSec = 0
  /** Monotonic time of the last boundary, or of the opening. */
  #boundaryNs: bigint
  readonly #windows = new Map<Member, SeriesWindow>()
  /** Between which moments the last interval lay, and how long it was. */
  #from: Pass | undefined
  #to: Pass | undefined
  #seconds = 0

  constructor(intervalMs: number, grid: Grid) {
    this.intervalMs = intervalMs
    this.grid = grid
    this.#boundaryNs = grid.beginNs
  }

  /** Most windows of a pass began at the same moment, too. */
  secondsBetween(from: Pass, to: Pass): number {
    if (from !== this.#from || to !== this.#to) {
      this.#from = from
      this.#to = to
      this.#seconds = Number(to.nowNs - from.nowNs) / 1e9
    }
    return this.#seconds
  }

  /** In no order. */
  get members(): Iterable<Member> {
    return this.#windows.keys()
  }

  /** In no order. */
  get windows(): Iterable<SeriesWindow> {
    return this.#windows.values()
  }

  add(window: SeriesWindow): void {
    this.#windows.set(window.member, window)
    window.member.windows.push(window)
  }

  /** Ends the window of a counter. */
  drop(member: Member): void {
    const window = this.#windows.get(member)
    this.#windows.delete(member)
    window?.end()
  }

  begin(passNumber: number, nowNs: bigint): void {
    this.passNumber = passNumber
    this.elapsedSec = Number(nowNs - this.#boundaryNs) / 1e9
    this.#boundaryNs = nowNs
    this.grid.serve(nowNs)
  }

  push(member: Member, window: CounterWindow): void {
    this.closed.push(window)
    this.closedOf.push(member)
  }

  /** Lets go of what the pass has closed; the sessions that got it may keep it. */
  forget(): void {
    this.closed = []
    this.closedOf = []
  }

  end(): void {
    this.isOpen = false
    for (const member of [...this.#windows.keys()]) this.drop(member)
  }
}
