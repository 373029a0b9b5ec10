/**
 * The series that a board follows: those that a link chooses, as the hub has them now, told of as
 * often as their sources measure.
 */
import { effect, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals'
import type { Board } from '../../../../model/board/board.ts'
import { HubFeed } from '../../../../viewer/board/hub-feed.ts'
import {
  type BoardSeries,
  boardSeries,
  STANDARD_STATISTIC,
} from '../../../../viewer/board/measures.ts'
import type { Store } from '../../../../viewer/store/store.ts'
import type { ScopeState } from '../address.ts'
import { exporters, selectBoard } from './selection.ts'

/** Intervals of the stream unless another is asked for, seconds: no picture changes more often. */
const INTERVALS_S = [0.1, 0.05, 0.02] as const
/** Part by which a step may be shorter than a source's interval: clocks are not exact. */
const SLACK = 1.1

interface FollowingParts {
  readonly store: Store
  readonly board: Board
  readonly choice: ReadonlySignal<ScopeState>
  /** Called when the board has got something, or follows others. */
  readonly onChange: () => void
}

export class Following {
  readonly #parts: FollowingParts
  readonly #feed: HubFeed
  readonly #ends: readonly (() => void)[]
  readonly #series: Signal<readonly BoardSeries[]> = signal([])
  readonly #total = signal(0)
  readonly #intervalS: Signal<number> = signal(INTERVALS_S[0])
  #key = ''
  #captions: ReadonlyMap<string, string> = new Map()
  /** Exporters that are connected, and all that ever were. */
  #online: ReadonlySet<string> = new Set()
  readonly #known = new Set<string>()

  constructor(parts: FollowingParts) {
    this.#parts = parts
    const { store, board, choice } = parts
    const onFed = parts.onChange
    this.#feed = new HubFeed({ store, board, windowS: () => board.windowS, onFed })
    this.#ends = [
      effect(() => {
        store.catalogue.version.value
        choice.value
        untracked(() => this.#choose())
      }),
      effect(() => {
        store.clock.tick.value
        untracked(() => this.#pace())
      }),
      effect(() => {
        store.sources.value
        untracked(() => this.#watchSources())
      }),
    ]
  }

  close(): void {
    for (const end of this.#ends) end()
    this.#feed.close()
  }

  /** Lines that are followed, whether the board has anything of them or not. */
  get series(): ReadonlySignal<readonly BoardSeries[]> {
    return this.#series
  }

  /** Gives a line's name without the labels that all lines have alike. */
  captionOf(name: string): string {
    return this.#captions.get(name) ?? name
  }

  /** Number of series that match, of which those beyond the limit are not followed. */
  get total(): ReadonlySignal<number> {
    return this.#total
  }

  /** Seconds between two events of the stream. */
  get intervalS(): ReadonlySignal<number> {
    return this.#intervalS
  }

  #choose(): void {
    const { store, choice, onChange } = this.#parts
    const { statistics, ...chosen } = choice.peek()
    const isStale = (id: number): boolean => store.isStale(id)
    const { entries, total } = selectBoard(store.catalogue.entries, chosen, isStale)
    const series = boardSeries(entries, statistics.length === 0 ? [STANDARD_STATISTIC] : statistics)
    this.#total.value = total
    const key = JSON.stringify(series)
    if (key === this.#key) return
    this.#key = key
    this.#captions = new Map(series.map(({ name, caption }) => [name, caption]))
    this.#series.value = series
    this.#feed.follow(series, this.#intervalS.peek())
    onChange()
  }

  /** Has the stream tell as often as the fastest source measures. */
  #pace(): void {
    this.#intervalS.value = this.#parts.choice.peek().samplingS ?? this.#fastestS()
    this.#feed.intervalS = this.#intervalS.peek()
  }

  #fastestS(): number {
    const sources = this.#parts.store.sources.peek()
    const measured = new Set(exporters(sources).map(({ source }) => source))
    const own = this.#series.peek().filter(({ source }) => measured.has(source))
    const names = new Set(own.map(({ name }) => name))
    let least = Number.POSITIVE_INFINITY
    for (const { name, log } of this.#parts.board.lines) {
      if (names.has(name) && log.stepS < least) least = log.stepS
    }
    if (least === Number.POSITIVE_INFINITY) return INTERVALS_S[0]
    return INTERVALS_S.find((each) => each <= least * SLACK) ?? INTERVALS_S.at(-1)!
  }

  /** Begins a new time base where an exporter has come again: see the rules of the trigger. */
  #watchSources(): void {
    const { store, board, onChange } = this.#parts
    const connected = exporters(store.sources.peek()).filter(({ state }) => state === 'connected')
    const online = new Set(connected.flatMap(({ source }) => source ?? []))
    const isBack = (name: string): boolean => this.#known.has(name) && !this.#online.has(name)
    const back = new Set([...online].filter(isBack))
    this.#online = online
    for (const name of online) this.#known.add(name)
    if (back.size === 0) return
    const sourceOf = new Map(this.#series.peek().map(({ name, source }) => [name, source]))
    board.restart(({ name }) => back.has(sourceOf.get(name) ?? ''))
    onChange()
  }
}
