/** P8: memory of labelled counters that four threads hold, against @prometheus-io/client. */

import { PROMETHEUS_CLIENT } from './instruments/prometheus-client.ts'
import { atMost, figureOf, limitOf, type Rounds, ratioOf } from './measure/question.ts'
import { ask } from './measure/run.ts'
import { COUNTER_COUNT, type Holder } from './memory/holders.ts'
import { measureHeld, type Taken, THREAD_COUNT } from './memory/measure.ts'

/** The figures hardly differ: allocation is the same each time. */
const ROUNDS = 3
const COUNT = COUNTER_COUNT.toLocaleString('en-US')
/** Of the specification of the store, for names of 24 bytes: shared, and heap in each thread. */
const SHARED_BYTES_MAX = 128
const HEAP_BYTES_MAX = 150

await ask({
  name: 'P8',
  asks: `What do ${COUNT} labelled counters take that ${THREAD_COUNT} threads increment?`,
  data: 'one name, two labels; and once, for the limits of the specification, names of 24 bytes',
  method: [
    'heap of each thread after a full collection, less before; bytes of the zone, less when empty',
    'every counter is held ready in every thread, and was incremented there; totals verified',
  ],
  unit: 'bytes per counter',
  remarks: [
    'the rival has a registry in each thread, as it has in each process of a cluster',
    'as mostly used: labels with each call, nothing held; a place is a number, to which its writer',
    'adds; names of 24 bytes: limits of the specification of the store',
  ],

  async measure() {
    const ours: Taken[] = []
    const numbers: Taken[] = []
    const plain: Taken[] = []
    const children: Taken[] = []
    const labelSets: Taken[] = []
    const ways: [Holder, Taken[]][] = [
      ['handles', ours],
      ['places', numbers],
      ['plainHandles', plain],
      ['children', children],
      ['labelSets', labelSets],
    ]
    for (let round = 0; round < ROUNDS; round++) {
      for (const [holder, takens] of ways) takens.push(await measureHeld(holder))
    }
    const all = rounds('pentameter, labelled, held as handles', ours, 'total')
    const places = rounds('pentameter, labelled, held as places', numbers, 'total')
    const shared = rounds('pentameter, names of 24 bytes, shared', plain, 'shared')
    const heap = rounds('pentameter, names of 24 bytes, heap a thread', plain, 'heapPerThread')
    const bound = rounds(`${PROMETHEUS_CLIENT}, held as bound children`, children, 'total')
    const sets = rounds(`${PROMETHEUS_CLIENT}, label sets, nothing held`, labelSets, 'total')
    return {
      warmUps: 0,
      rounds: ROUNDS,
      figures: [all, places, bound, sets].map(figureOf),
      verdicts: [
        ratioOf(all, sets, atMost(1 / 3)),
        ratioOf(places, sets, atMost(1 / 3)),
        ratioOf(all, bound, atMost(1 / 3)),
        limitOf(shared, atMost(SHARED_BYTES_MAX)),
        limitOf(heap, atMost(HEAP_BYTES_MAX)),
      ],
      skipped: [],
    }
  },
})

function rounds(title: string, takens: readonly Taken[], part: keyof Taken): Rounds {
  return { title, figures: takens.map((taken) => taken[part]) }
}
