/** Sessions by function call, as JavaScript has them: an application sees its own counters. */

import { parseFilter } from '../../dialects/eventcounters/codec/filter.ts'
import type { Boundary } from '../../dialects/eventcounters/server/counter-source.ts'
import type { CounterWindow } from '../../dialects/eventcounters/window.ts'
import { compileGlob } from '../../model/text/glob.ts'
import type { CounterMatch, OpenRequest, OpenSession } from './open-session.ts'

export interface SessionOptions {
  /** Length of its windows, milliseconds: 1 to 4,294,967,295,000. */
  readonly intervalMs: number
  /**
   * Sources, or counters of one as `Source[counter,counter]`; in names a `*` is any text. A list,
   * or a text with commas in between; every counter of every source when not given. Sources match
   * without regard to case.
   */
  readonly counters?: string | readonly string[] | undefined
}

export interface CounterSession {
  /** Length of its windows, milliseconds. */
  readonly intervalMs: number
  /** False once closed, also by an error of its listener. */
  readonly isOpen: boolean
  /** Ends it without a last window; nothing is called back any more. Idempotent. */
  close(): void
}

interface AnyWindow {
  /** Name of the event source. */
  readonly source: string
  readonly name: string
  /** Empty = none. */
  readonly displayName: string
  /** Unit as .NET writes it (`B`, `ms`, `%`); empty = none. */
  readonly unit: string
  readonly labels: Readonly<Record<string, string>>
  /** End of the window, Unix milliseconds. */
  readonly timeMs: number
  /** Measured length, milliseconds. */
  readonly intervalMs: number
  /** Nominal length, milliseconds: what the session asked for. */
  readonly seriesMs: number
}

/** Statistics of the samples of a window; of an empty one 0, 0, 0, Infinity and -Infinity. */
export interface MeanWindow extends AnyWindow {
  readonly kind: 'mean'
  readonly count: number
  readonly mean: number
  /** Standard deviation of the whole population. */
  readonly deviation: number
  readonly min: number
  readonly max: number
}

/** Window of a counter that adds up. */
export interface SumWindow extends AnyWindow {
  readonly kind: 'sum'
  readonly increment: number
  /** The increment per second of the measured length. */
  readonly perSecond: number
}

/** One interval of one counter. */
export type SessionWindow = MeanWindow | SumWindow

type Open = (
  request: OpenRequest,
  onBoundary: (boundary: Boundary) => unknown,
) => OpenSession | undefined

/** Opens a session; see {@link CounterRegistry.session}. */
export function openSession(
  open: Open,
  { intervalMs, counters }: SessionOptions,
  onWindow: (window: SessionWindow) => unknown,
): CounterSession {
  if (intervalMs === 0) throw new RangeError('interval of 0 ms, want 1 or more')
  const request = { intervalMs, deliver: 'own' } as const
  const wanted = matchOf(counters)
  const session = open(
    wanted === undefined ? request : { ...request, wanted },
    ({ timeMs, windows }) => {
      const answers: unknown[] = []
      for (const window of windows) {
        const answer = onWindow(plainWindow(window, timeMs))
        if (typeof answer === 'object' && answer !== null) answers.push(answer)
        if (!session?.isOpen) break
      }
      // A listener is not waited for; one that is async fails later than one that is not.
      return answers.length === 0 ? undefined : Promise.all(answers)
    },
  )
  if (session === undefined) throw new RangeError('limit of sessions reached')
  return {
    intervalMs,
    get isOpen() {
      return session.isOpen
    },
    close: () => session.close(),
  }
}

function plainWindow(window: CounterWindow, timeMs: number): SessionWindow {
  const { counter, statistics, seriesMs, intervalSec } = window
  const { provider: source, name, displayName, units: unit, metaData } = counter
  const labels = Object.fromEntries(metaData)
  const intervalMs = intervalSec * 1000
  const head = { source, name, displayName, unit, labels, timeMs, intervalMs, seriesMs }
  if (statistics.kind === 'mean') return { ...head, ...statistics }
  return { ...head, ...statistics, perSecond: statistics.increment / intervalSec }
}

/** @throws {FilterError} for a text that is no list */
function matchOf(counters: string | readonly string[] | undefined): CounterMatch | undefined {
  const list = typeof counters === 'string' ? counters : counters?.join(',')
  if (list === undefined || list === '') return undefined
  const groups = parseFilter(list).map((group) => ({
    source: compileGlob(group.provider, { ignoresCase: true }),
    counters: group.counters.map((name) => compileGlob(name)),
  }))
  return {
    source: (name) => groups.some(({ source }) => source(name)),
    counter: (source, name) =>
      groups.some((group) => {
        if (!group.source(source)) return false
        return group.counters.length === 0 || group.counters.some((each) => each(name))
      }),
  }
}
