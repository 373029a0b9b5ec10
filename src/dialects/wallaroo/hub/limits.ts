/** The limits of pipelines as the hub tells of its limits, with what to do about each. */
import type { LimitStatus } from '../../../hub/status/status.ts'
import { CONNECTION_WORKERS_LIMIT, type WorkerReceiver } from './receiver.ts'
import type { WallarooState } from './state.ts'

export function wallarooLimits(
  { memory, workers, workersNotHeld }: WallarooState,
  receivers: Iterable<WorkerReceiver>,
): LimitStatus[] {
  let largest = 0
  for (const receiver of receivers) largest = Math.max(largest, receiver.workers.size)
  return [
    {
      name: 'wallaroo.windowBytesLimit',
      limit: memory.bytesLimit,
      used: memory.bytes,
      refused: memory.dropped,
      behaviour:
        'The oldest windows of a series leave its charts, totals keep them; views say since when ' +
        'they are complete. Raise it to see farther back.',
    },
    {
      name: 'wallaroo.workersLimit',
      limit: workers.limit,
      used: workers.unproven,
      refused: workers.refused,
      behaviour:
        'Of the address with most workers that have sent no window, the one that was silent for ' +
        'longest is forgotten, or the new one. Raise it, or find out who invents names.',
    },
    {
      name: 'workers of one Wallaroo connection',
      limit: CONNECTION_WORKERS_LIMIT,
      used: largest,
      refused: workersNotHeld,
      behaviour:
        'Further workers are counted, but not shown as connected. Give each its own connection.',
    },
  ]
}
