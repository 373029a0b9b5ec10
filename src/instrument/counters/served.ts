/** What counters report of callbacks and samples: every time counted, the first time logged. */
import type { EventSource } from '../event-source.ts'
import { GrowingCounter, PolledCounter } from '../recording/poll.ts'
import { RecordedCounter } from '../recording/recorded-counter.ts'
import type { MakeServed } from './source-counter.ts'

export function recorded(
  kind: 'mean' | 'sum',
  name: string,
  source: EventSource,
): MakeServed<RecordedCounter> {
  const what = kind === 'mean' ? 'sample' : 'increment'
  const refused = once(source, 'nonfinite_samples', `${titleOf(name, source)}: ${what} refused,`)
  return (describe) =>
    new RecordedCounter({ kind, describe, onRefused: () => refused('want a finite number') })
}

export function polled(
  name: string,
  source: EventSource,
  callback: () => number,
): MakeServed<PolledCounter> {
  const onFailure = failures(name, source, callback)
  return (describe) => new PolledCounter({ callback, describe, onFailure })
}

export function growing(
  name: string,
  source: EventSource,
  callback: () => number,
): MakeServed<GrowingCounter> {
  const onFailure = failures(name, source, callback)
  return (describe) => new GrowingCounter({ callback, describe, onFailure })
}

function failures(name: string, source: EventSource, callback: () => number) {
  if (typeof callback !== 'function') throw new TypeError('the callback of a counter is a function')
  return once(source, 'callback_errors', `${titleOf(name, source)}: its callback`)
}

function titleOf(name: string, source: EventSource): string {
  return `counter "${name}" of source "${source.name}"`
}

function once(
  { registry }: EventSource,
  count: 'nonfinite_samples' | 'callback_errors',
  start: string,
): (reason: string) => void {
  let isLogged = false
  return (reason) => {
    const isFirst = !isLogged
    isLogged = true // before the log, which may write to this very counter
    registry.report(count, isFirst ? `${start} ${reason}` : undefined)
  }
}
