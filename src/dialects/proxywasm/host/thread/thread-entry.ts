/**
 * A filter's own thread: opens its space, hosts the filter, answers its owner to the end. What goes
 * between both does so by structured clone.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { FilterHost } from '../host.ts'
import type { MetricSpace, MetricSpaceSource, OpenMetricSpace } from '../metric-space.ts'
import {
  FilterModule,
  type FilterModuleParts,
  FilterRefusedError,
  type ModuleRefusal,
} from '../module/module.ts'
import type { FilterLogLine, FilterOptions } from '../options.ts'
import { FilterCounts } from '../statistics.ts'
import type { FilterOutcome, FilterRequest } from '../stream/exchange.ts'

/** `workerData` of the thread. */
export interface ThreadStart {
  readonly module: FilterModuleParts
  readonly options: FilterOptions
  readonly space: Pick<MetricSpaceSource, 'module' | 'data'>
  /** Memory of FilterCounts: read by the owner at any moment. */
  readonly counts: SharedArrayBuffer
  readonly callTimeoutMs: number
  readonly sharedData?: SharedArrayBuffer | undefined
}

export type ToThread =
  | { readonly kind: 'request'; readonly id: number; readonly request: FilterRequest }
  | { readonly kind: 'close' }

export type FromThread =
  | { readonly kind: 'started'; readonly segment: number }
  | { readonly kind: 'refused'; readonly refusal: ModuleRefusal; readonly message: string }
  | { readonly kind: 'outcome'; readonly id: number; readonly outcome: FilterOutcome }
  | { readonly kind: 'log'; readonly line: FilterLogLine }
  | { readonly kind: 'closed' }

async function serve(port: MessagePort, start: ThreadStart): Promise<void> {
  const tell = (message: FromThread): void => port.postMessage(message)
  const opener: { openMetricSpace: OpenMetricSpace } = await import(start.space.module)
  const space = await opener.openMetricSpace(start.space.data)
  const module = new FilterModule(start.module)
  const counts = new FilterCounts(module.unknownImports, start.counts)
  let host: FilterHost
  try {
    const { callTimeoutMs, sharedData } = start
    const onLog = (line: FilterLogLine): void => tell({ kind: 'log', line })
    host = FilterHost.start(module, start.options, {
      space,
      counts,
      onLog,
      callTimeoutMs,
      sharedData,
    })
  } catch (error) {
    if (!(error instanceof FilterRefusedError)) throw error
    tell({ kind: 'refused', refusal: error.refusal, message: error.message })
    return end(space)
  }
  tell({ kind: 'started', segment: space.writer.segment })
  port.on('message', (message: ToThread) => {
    if (message.kind === 'request') {
      tell({ kind: 'outcome', id: message.id, outcome: host.request(message.request) })
      return
    }
    host.close()
    end(space)
    tell({ kind: 'closed' })
    port.close()
  })
}

/** Ends the space: what was recorded stays, as the segment is folded. */
function end(space: MetricSpace): void {
  space.writer.detach()
}

if (parentPort !== null) await serve(parentPort, workerData as ThreadStart)
