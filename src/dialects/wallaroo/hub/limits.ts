/** The limits of pipelines as the hub tells of its limits, with what to do about each. */
import type { LimitStatus } from '../../../hub/status/status.ts'
import { CONNECTION_WORKERS_LIMIT, type WorkerReceiver } from './receiver.ts'
import type { WallarooState } from './state.ts'
import { PENDING_LIMIT, type SharedAnswers } from './views/shared-answers.ts'

export function wallarooLimits(
  { memory, workers, workersNotHeld }: WallarooState,
  receivers: Iterable<WorkerReceiver>,
  answers: SharedAnswers,
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
      used: workers.size,
      refused: workers.refused,
      behaviour:
        'Windows of further workers are counted in one series for each category, with the label ' +
        'otel_metric_overflow. Raise it, or find out who invents names.',
    },
    {
      name: 'workers of one Wallaroo connection',
      limit: CONNECTION_WORKERS_LIMIT,
      used: largest,
      refused: workersNotHeld,
      behaviour:
        'Further workers are counted, but not shown as connected. Give each its own connection.',
    },
    {
      name: 'Wallaroo views being made',
      limit: PENDING_LIMIT,
      used: answers.pending,
      refused: answers.refused,
      behaviour: 'A further view gets 503 and when to ask again; those being made go on.',
    },
  ]
}
