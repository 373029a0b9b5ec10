import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUSE_RULES } from '../../dialects/export-rules.ts'
import { FrameBuilder } from '../live/frame.ts'
import type { SeriesRecord } from '../series/record.ts'
import { runNow } from '../tasks/task.ts'
import { TotalsRelay } from './totals-relay.ts'

type Parts = ConstructorParameters<typeof TotalsRelay>

/** Store of totals that remembers what it was told. */
function store() {
  const told: string[] = []
  const totals = new Map<string, number>()
  const emitter = {
    open: ({ identity: { name } }: { identity: { name: string } }) => {
      totals.set(name, 0)
      return name
    },
    change: () => {},
    add: (name: string, cell: { delta: number }) => {
      totals.set(name, totals.get(name)! + Number(cell.delta))
    },
    send: (name: string, cell: { delta: number }, endMs: number) => {
      emitter.add(name, cell)
      told.push(`${name} ${totals.get(name)} ${endMs}`)
    },
    end: (name: string, endMs: number) => told.push(`end ${name} ${endMs}`),
    *flush() {},
  }
  return { told, emitter: emitter as unknown as Parts[2] }
}

test('what is dropped is in the next total, and series that left with it have left', () => {
  const records = new Map<number, SeriesRecord>()
  for (const id of [1, 2]) {
    const identity = { name: `k${id}`, kind: 'counter', labels: [] }
    records.set(id, { id, identity, metadata: { dialect: 'x' } } as unknown as SeriesRecord)
  }
  let leaves = (_: { readonly id: number }): void => {}
  const series = {
    [Symbol.iterator]: () => [].values(),
    watch: (watcher: { leaves: typeof leaves }) => {
      leaves = watcher.leaves
    },
    keep: (record: SeriesRecord) => record,
    get: (id: number) => records.get(id),
  }
  const view = { series, exportRules: () => HOUSE_RULES, isAway: () => false }
  const { told, emitter } = store()
  const relay = new TotalsRelay('x', 'x', emitter, view as unknown as Parts[3])
  const frames = [1, 2, 3].map((second) => {
    const builder = new FrameBuilder()
    for (const id of records.keys()) builder.counter(id, second)
    const frame = builder.build(second * 1000, 1)
    runNow(relay.take(frame))
    if (records.delete(2)) leaves({ id: 2 })
    return frame
  })
  runNow(relay.deliver(frames[0]!))
  runNow(relay.skip(frames[1]!))
  runNow(relay.deliver(frames[2]!))
  assert.deepEqual(told, ['k1 1 1000', 'k2 1 1000', 'end k2 2000', 'k1 6 3000'])
})
