/** A process that appends seconds to a history, and tells of each that it is durable. */
import { SqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { Identity } from '../../src/model/index.ts'
import { SecondMaker } from './history.ts'

const [folder, from] = process.argv.slice(2)
const SERIES: readonly Identity[] = Array.from({ length: 200 }, (_, i) => {
  return { name: `hits.${i}`, kind: 'counter', labels: [] }
})

const store = new SqliteHistory({
  folder: folder!,
  nowMs: Date.now,
  bytesLimit: 2 ** 30,
  secondsKeptS: 2 ** 31,
  minutesKeptS: 2 ** 31,
  hoursKeptS: 2 ** 31,
  seriesLimit: 1_000_000,
})
const maker = new SecondMaker()
for (let endS = Number(from) + 1; ; endS++) {
  const cells = SERIES.map((identity) => {
    return { identity, cell: { kind: 'counter', delta: 1 } as const }
  })
  await store.append(maker.second(endS, cells))
  process.stdout.write(`${endS}\n`)
  // a turn of the event loop for what is sealed in between
  await new Promise(setImmediate)
}
