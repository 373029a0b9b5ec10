/** What a history does at its limits: of the disk, of age, of series, and of clocks. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { SecondMaker, START_S } from '../../../test/support/history.ts'
import { smallDisk } from '../../../test/support/small-disk.ts'
import { Histogram, type Identity, identityKey } from '../../model/index.ts'
import { HistoryError } from '../store.ts'
import { SqliteHistory } from './sqlite-history.ts'

const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const HITS: Identity = { name: 'hits', kind: 'counter', labels: [] }
const RULES = {
  bytesLimit: 2 ** 30,
  secondsKeptS: 7 * 86_400,
  minutesKeptS: 90 * 86_400,
  hoursKeptS: 5 * 365 * 86_400,
  seriesLimit: 1_000_000,
}

function newFolder(): string {
  const path = mkdtempSync(join(ROOT, 'pentameter-limits-'))
  after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Opens a history whose clock stands at a second. */
function open(folder: string, clock: { nowS: number }, rules: Partial<typeof RULES> = {}) {
  return new SqliteHistory({ folder, nowMs: () => clock.nowS * 1000, ...RULES, ...rules })
}

const ONE = { identity: HITS, cell: { kind: 'counter', delta: 1 } } as const

async function sum(store: SqliteHistory, fromS: number, toS: number, stepS: number) {
  const { columns } = await store.read({ groups: [[identityKey(HITS)]], fromS, toS, stepS })
  return columns[0]!.cells.map((cell) => (cell?.kind === 'counter' ? Number(cell.delta) : 0))
}

test('a full disk costs seconds, which are counted, and none that was durable', async (context) => {
  const disk = smallDisk('1m')
  if (disk === undefined) return context.skip('no file system can be mounted here')
  const folder = join(disk, 'history')
  const clock = { nowS: START_S }
  let store = open(folder, clock)
  const maker = new SecondMaker()
  const ballast = join(disk, 'ballast')
  let [kept, lost] = [0, 0]
  for (let second = 1; second <= 900; second++) {
    clock.nowS = START_S + second
    if (second === 200) {
      assert.throws(() => writeFileSync(ballast, new Uint8Array(2 ** 21)), { code: 'ENOSPC' })
    }
    if (second === 700) rmSync(ballast)
    try {
      await store.append(maker.second(clock.nowS, [ONE]))
      kept++
    } catch (error) {
      assert.ok(error instanceof HistoryError)
      assert.equal(error.code, 'full')
      lost++
    }
    if (second === 650) assert.equal((await store.health()).state, 'full')
    // a turn of the event loop for what is sealed in between
    await new Promise(setImmediate)
  }
  assert.ok(lost > 0 && kept > 300, `${kept} kept, ${lost} lost`)
  const { state, taken, lost: counted } = await store.health()
  assert.deepEqual([state, taken, counted], ['running', kept, { full: lost }])
  await store.close()
  store = open(folder, clock)
  assert.deepEqual(await sum(store, START_S, START_S + 3600, 3600), [kept])
  await store.close()
})

test('a place that can’t be written is refused at once, and says which', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'file'), '')
  symlinkSync(join(folder, 'nowhere'), join(folder, 'link'))
  const clock = { nowS: START_S }
  const system = existsSync('/proc/self') ? ['/proc/history', '/proc', '/dev/null'] : []
  const own = ['file', join('file', 'history'), 'link'].map((name) => join(folder, name))
  for (const place of [...own, ...system]) {
    assert.throws(
      () => open(place, clock),
      ({ code, message }: HistoryError) => code === 'unwritable' && message.includes(place),
      place,
    )
  }
  assert.deepEqual(readdirSync(folder).sort(), ['file', 'link'])
})

test('a folder that is only for reading is refused and stays as it is', async (context) => {
  const disk = smallDisk('4m')
  if (disk === undefined) return context.skip('no file system can be mounted here')
  const folder = join(disk, 'history')
  const clock = { nowS: START_S }
  const store = open(folder, clock)
  await store.append(new SecondMaker().second(START_S + 1, [ONE]))
  await store.close()
  execFileSync('mount', ['-o', 'remount,ro', disk])
  assert.throws(
    () => open(folder, clock),
    (error) => error instanceof HistoryError && error.code === 'unwritable',
  )
  execFileSync('mount', ['-o', 'remount,rw', disk])
  const again = open(folder, clock)
  assert.deepEqual(await sum(again, START_S, START_S + 60, 60), [1])
  await again.close()
})

test('each width of cells goes at its age, and what is read becomes wider', async () => {
  const folder = newFolder()
  const clock = { nowS: START_S }
  const rules = { secondsKeptS: 3600, minutesKeptS: 3 * 3600, hoursKeptS: 60 * 86_400 }
  const store = open(folder, clock, rules)
  const maker = new SecondMaker()
  for (let second = 1; second <= 4 * 3600; second += 20) {
    clock.nowS = START_S + second
    await store.append({ ...maker.second(clock.nowS, [ONE]), seconds: 20 })
  }
  clock.nowS = START_S + 5 * 3600
  await store.append({ ...maker.second(clock.nowS, [ONE]), seconds: 3600 })
  await store.remove([]) // all of it is sealed then
  await store.retain()
  const { resolutions } = await store.health()
  const from = resolutions.map(({ fromS }) => fromS! - START_S)
  assert.deepEqual(from, [4 * 3600, 2 * 3600, -19])
  const read = async (fromS: number, toS: number) => {
    const range = { fromS: START_S + fromS, toS: START_S + toS, stepS: 10 }
    const answer = await store.read({ groups: [[identityKey(HITS)]], ...range })
    const counts = answer.columns[0]!.cells.map((cell) => {
      return cell?.kind === 'counter' ? Number(cell.delta) : 0
    })
    return [answer.stepS, counts.reduce((total, each) => total + each, 0)]
  }
  assert.deepEqual(await read(0, 3600), [3600, 180])
  assert.deepEqual(await read(2 * 3600, 3 * 3600), [60, 180])
  await store.close()
})

test('a clock that jumps ahead and back again costs no second of the past', async () => {
  const folder = newFolder()
  const clock = { nowS: START_S }
  let store = open(folder, clock)
  const maker = new SecondMaker()
  const append = async (fromS: number, count: number): Promise<void> => {
    for (let second = 1; second <= count; second++) {
      clock.nowS = fromS + second
      await store.append(maker.second(clock.nowS, [ONE]))
      await new Promise(setImmediate)
    }
  }
  const AHEAD_S = START_S + 3650 * 86_400
  await append(START_S, 400)
  await append(AHEAD_S, 400)
  await store.retain()
  await append(START_S + 300, 400) // a hundred seconds come a second time
  const wanted = [100, 100, 100, 200, 100, 100, 100]
  assert.deepEqual(await sum(store, START_S, START_S + 700, 100), wanted)
  assert.deepEqual(await sum(store, AHEAD_S - 3600, AHEAD_S + 3600, 3600), [0, 400])
  await append(START_S + 700, 3300)
  await store.retain()
  await store.remove([]) // all of it is sealed then
  await store.retain()
  assert.deepEqual(await sum(store, AHEAD_S - 3600, AHEAD_S + 3600, 3600), [0, 0], 'is to come')
  assert.deepEqual(await sum(store, START_S, START_S + 7200, 7200), [4100])
  await store.close()
  store = open(folder, clock)
  assert.deepEqual(await sum(store, START_S, START_S + 7200, 7200), [4100])
  await store.close()
})

test('of a gauge the newer value of a second that comes again holds, sealed or not', async () => {
  const clock = { nowS: START_S }
  const store = open(newFolder(), clock)
  const maker = new SecondMaker()
  const load: Identity = { name: 'load', kind: 'gauge', labels: [] }
  const set = async (second: number, value: number): Promise<void> => {
    const at = (START_S + second) * 1000
    const cell = { kind: 'gauge', value, at } as const
    await store.append(maker.second(START_S + second, [{ identity: load, cell }]))
  }
  const read = async (stepS: number) => {
    const range = { fromS: START_S, toS: START_S + 60, stepS }
    const { columns } = await store.read({ groups: [[identityKey(load)]], ...range })
    return columns[0]!.cells.flatMap((cell) => {
      if (cell?.kind !== 'gauge') return []
      return [[cell.value, cell.spread?.min ?? cell.value, cell.spread?.max ?? cell.value]]
    })
  }
  await set(10, 7)
  await set(20, 5)
  await set(10, 3)
  assert.deepEqual(await read(1), [
    [3, 3, 7],
    [5, 5, 5],
  ])
  await store.remove([]) // all of it is sealed then
  await set(10, 6)
  await set(20, 4)
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(await read(1), [
      [6, 3, 7],
      [4, 4, 5],
    ])
    assert.deepEqual(await read(60), [[4, 3, 7]])
    await store.remove([])
  }
  await store.close()
})

test('histograms that come late are in their seconds, minutes and hours', async () => {
  const clock = { nowS: START_S }
  const store = open(newFolder(), clock)
  const maker = new SecondMaker()
  const times: Identity = { name: 'times', kind: 'histogram', labels: [] }
  let sent = 0
  const record = async (second: number): Promise<void> => {
    const histogram = new Histogram()
    histogram.record(1 + (second % 50))
    sent++
    const cell = { kind: 'histogram', histogram } as const
    await store.append(maker.second(START_S + second, [{ identity: times, cell }]))
  }
  const counts = async (stepS: number): Promise<number[]> => {
    const range = { fromS: START_S, toS: START_S + 3600, stepS }
    const { columns } = await store.read({ groups: [[identityKey(times)]], ...range })
    return columns[0]!.cells.map((cell) => {
      return cell?.kind === 'histogram' ? Number(cell.histogram.count) : 0
    })
  }
  for (let second = 7; second <= 3600; second += 30) await record(second)
  clock.nowS = START_S + 7200
  // each time the hour is put together again, at last of more parts than it may have
  for (let late = 0; late < 30; late++) {
    await store.remove([])
    await store.retain()
    await record(7 + 60 * late)
  }
  for (const isSealed of [false, true]) {
    for (const stepS of [1, 60, 3600]) {
      const found = await counts(stepS)
      assert.equal(
        found.reduce((sum, count) => sum + count, 0),
        sent,
        `${stepS} s, ${isSealed ? 'sealed' : 'open'}`,
      )
      if (stepS === 1) assert.deepEqual([found[6], found[66], found[36]], [2, 2, 1])
    }
    await store.remove([])
    await store.retain()
  }
  await store.close()
})

test('of series that come and go, those silent longest are forgotten above the limit', async () => {
  const folder = newFolder()
  const clock = { nowS: START_S }
  const store = open(folder, clock, { seriesLimit: 300 })
  const maker = new SecondMaker()
  for (let wave = 0; wave < 10; wave++) {
    clock.nowS = START_S + wave * 2000 + 1
    const cells = Array.from({ length: 100 }, (_, i) => {
      const identity: Identity = { name: 'user', kind: 'counter', labels: [['id', `${wave}/${i}`]] }
      return { identity, cell: { kind: 'counter', delta: 1 } as const }
    })
    await store.append(maker.second(clock.nowS, [ONE, ...cells]))
    const users = cells.map(({ identity }) => identity)
    await store.append(maker.second(clock.nowS + 1, [], users))
    await store.remove([])
    await store.retain()
    const { series } = await store.health()
    assert.ok(series <= 400, `${series} series after ${wave + 1} waves`)
  }
  const { series } = await store.health()
  assert.equal(series, 300)
  const last = await store.list({ keys: [identityKey(HITS)] })
  assert.equal(last.length, 1, 'the one that goes on is there')
  await store.close()
})
