/**
 * Vectors of Wallaroo's reporters: windows, their ends and what closes them, on a clock that stands
 * still.
 */

import { NanoClock } from '../../../../../test/support/nano-clock.ts'
import { same } from '../../../../../test/vectors/expect.ts'
import type { VectorCase } from '../../../../../test/vectors/vector-file.ts'
import type { Metrics } from '../../codec/encode.ts'
import { type Recorder, Reporter } from '../../reporter/reporter.ts'
import type { Binning, WindowRule } from '../../spec.ts'

interface Options {
  readonly application: string
  readonly worker: string
  readonly period_ns: string
  readonly window_rule: WindowRule
  readonly binning: Binning
  readonly idle_flush: boolean
}

interface Operation {
  readonly at_ns: string
  /** A category (with `-` or `_`), `timer` (only the time passes) or `close`. */
  readonly do: string
  readonly pipeline?: string
  readonly name?: string
  readonly id?: number
  readonly latency_ns?: string
}

interface Batch {
  readonly at_ns: string
  readonly messages: readonly object[]
}

export function checkWindow(testCase: VectorCase): undefined {
  const options = testCase.options as Options
  const clock = new NanoClock(BigInt(testCase.created_ns as string))
  const batches: Batch[] = []
  const reporter = new Reporter({
    application: options.application,
    worker: options.worker,
    periodMs: Number(options.period_ns) / 1e6,
    windowRule: options.window_rule,
    binning: options.binning,
    idleFlush: options.idle_flush,
    clock,
    send: (batch) => batches.push({ at_ns: `${clock.wallNs()}`, messages: batch.map(plain) }),
  })
  for (const operation of testCase.operations as Operation[]) {
    clock.moveTo(BigInt(operation.at_ns))
    act(reporter, operation)
  }
  const expect = testCase.expect as { batches: readonly Batch[]; open_window_ends_ns: string }
  same('categories in order', batches.map(categoriesOf), expect.batches.map(categoriesOf))
  same('batches', batches.map(sorted), expect.batches.map(sorted))
  same('open window ends', `${reporter.windowEndNs}`, expect.open_window_ends_ns)
  reporter.close()
  same('timers left', clock.pending, 0)
  return undefined
}

function act(reporter: Reporter, operation: Operation): void {
  const { pipeline = '', name = '', id = 0, latency_ns } = operation
  const what = operation.do.replaceAll('_', '-')
  if (what === 'timer') return
  if (what === 'close') reporter.close()
  else if (/ingestion$/.test(what)) reporter.ingestion(pipeline).count()
  else recorderOf(reporter, what, pipeline, name, id).record(latencyOf(latency_ns!))
}

/** Whole ones are exact; some cases have values that are no latency. */
function latencyOf(text: string): number | bigint {
  return /^-?\d+$/.test(text) ? BigInt(text) : Number(text)
}

function recorderOf(
  reporter: Reporter,
  category: string,
  pipeline: string,
  name: string,
  id: number,
): Recorder {
  if (category === 'computation') return reporter.computation(pipeline, name, id)
  if (category === 'start-to-end') return reporter.startToEnd(pipeline)
  if (category === 'node-ingress-egress') return reporter.nodeIngressEgress(pipeline)
  throw new TypeError(`no operation ${category}`)
}

function plain({ category, pipeline, name, id, bins, minNs, maxNs, endNs }: Metrics): object {
  const filled = Array.from(bins, (count, bin) => [`${bin}`, `${count}`] as const)
  return {
    ...{ category, pipeline, name, id },
    bins: Object.fromEntries(filled.filter(([, count]) => count !== '0')),
    ...{ min_ns: `${minNs}`, max_ns: `${maxNs}`, end_ns: `${endNs}` },
  }
}

function categoriesOf({ messages }: Batch): readonly unknown[] {
  return messages.map((message) => (message as { category: unknown }).category)
}

function sorted({ at_ns, messages }: Batch): unknown {
  return { at_ns, messages: messages.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) }
}

function keyOf(message: object): string {
  const { category, pipeline, name } = message as Record<string, unknown>
  return JSON.stringify([category, pipeline, name])
}
