import assert from 'node:assert/strict'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { holdsAsync } from '../../test/support/property.ts'
import { DiskQueue } from './disk-queue.ts'
import { FILE_HEAD_BYTES, RECORD_HEAD_BYTES } from './segment.ts'

type Ends = { after(end: () => unknown): void }

function folderOf(t: Ends): string {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-queue-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function open(
  folder: string,
  options: { readonly bytesLimit?: number } = {},
): Promise<{ readonly queue: DiskQueue; readonly lost: string[] }> {
  const lost: string[] = []
  const queue = await DiskQueue.open({
    ...{ folder, bytesLimit: 1_000_000, nowMs: 0 },
    lost: (items, reason) => lost.push(`${items} ${reason}`),
    foreign: (path) => lost.push(`foreign ${basename(path)}`),
    ...options,
  })
  return { queue, lost }
}

const text = (value: string): Buffer => Buffer.from(value)

async function takeAll(queue: DiskQueue, limit = Number.POSITIVE_INFINITY): Promise<string[]> {
  const taken: string[] = []
  while (taken.length < limit) {
    const record = await queue.first()
    if (record === undefined) break
    taken.push(Buffer.from(record.payload).toString())
    await queue.take(record)
  }
  return taken
}

const files = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.queue'))
    .sort()

test('records come out in order, also those of a former process, each once', async (t) => {
  const folder = folderOf(t)
  const { queue } = await open(folder)
  for (const each of ['a', 'b', 'c']) await queue.append(text(each), 2, 1000)
  assert.deepEqual(await takeAll(queue, 1), ['a'])
  assert.equal(queue.items, 4)
  await queue.close()
  const { queue: again, lost } = await open(folder)
  assert.equal(again.items, 4)
  assert.equal(again.oldestMs, 1000)
  assert.deepEqual(await takeAll(again, 1), ['b'])
  await again.append(text('d'), 1, 2000)
  assert.deepEqual(await takeAll(again), ['c', 'd'])
  assert.equal(again.items, 0)
  await again.append(text('e'), 1, 3000)
  assert.deepEqual(await takeAll(again), ['e'])
  await again.close()
  const { queue: third } = await open(folder)
  assert.deepEqual(await takeAll(third), [])
  await third.append(text('f'), 1, 1)
  assert.deepEqual(await takeAll(third), ['f'])
  await third.close()
  assert.deepEqual(lost, [])
})

test('a file that is cut at any byte gives its whole records, and the queue goes on', async (t) => {
  const folder = folderOf(t)
  const { queue } = await open(folder)
  for (const each of ['one', 'two']) await queue.append(text(each), 1, 0)
  await queue.close()
  const [name] = files(folder)
  const whole = readFileSync(join(folder, name!))
  const recordBytes = RECORD_HEAD_BYTES + 3
  for (let size = 0; size <= whole.length; size++) {
    for (const each of files(folder)) rmSync(join(folder, each))
    rmSync(join(folder, 'position'), { force: true })
    writeFileSync(join(folder, name!), whole)
    truncateSync(join(folder, name!), size)
    const { queue: cut } = await open(folder)
    await cut.append(text('new'), 1, 0)
    const count = Math.max(0, Math.floor((size - FILE_HEAD_BYTES) / recordBytes))
    assert.deepEqual(await takeAll(cut), [...['one', 'two'].slice(0, count), 'new'], `${size}`)
    await cut.close()
  }
})

test('a record with another checksum is left out and counted, its neighbours come', async (t) => {
  const folder = folderOf(t)
  const { queue } = await open(folder)
  for (const each of ['one', 'two', 'six']) await queue.append(text(each), 5, 0)
  await queue.close()
  const path = join(folder, files(folder)[0]!)
  const bytes = readFileSync(path)
  bytes[FILE_HEAD_BYTES + 2 * RECORD_HEAD_BYTES + 3]! ^= 1
  writeFileSync(path, bytes)
  const { queue: again, lost } = await open(folder)
  assert.deepEqual(await takeAll(again), ['one', 'six'])
  assert.deepEqual(lost, ['5 damaged'])
  await again.close()
})

test('above its limit the oldest file goes, and what it held is counted', async (t) => {
  const folder = folderOf(t)
  const { queue, lost } = await open(folder, { bytesLimit: 4000 })
  const payload = Buffer.alloc(400)
  for (let i = 0; i < 20; i++) {
    payload[0] = i
    await queue.append(payload, 1, i)
    assert.ok(queue.bytes <= 4000, `${queue.bytes}`)
  }
  const kept = (await takeAll(queue)).map((each) => each.charCodeAt(0))
  assert.equal(kept.at(-1), 19)
  assert.equal(kept.length + lost.length * 2, 20)
  assert.deepEqual(
    kept,
    kept.toSorted((a, b) => a - b),
  )
  assert.deepEqual([...new Set(lost)], ['2 queue_full'])
  await queue.close()
})

test('a record that is being sent while its file goes is not taken for another', async (t) => {
  const folder = folderOf(t)
  const { queue } = await open(folder, { bytesLimit: 4000 })
  const payload = Buffer.alloc(900)
  await queue.append(payload, 1, 0)
  const sending = (await queue.first())!
  for (let i = 0; i < 6; i++) await queue.append(payload, 1, i)
  const { items } = queue
  await queue.take(sending)
  assert.equal(queue.items, items)
  assert.equal((await takeAll(queue)).length, items)
  await queue.close()
})

test('a file that is none of a queue is told and stays, whatever its name', async (t) => {
  const folder = folderOf(t)
  const names = ['000000000007.queue', 'notes.txt']
  for (const name of names) writeFileSync(join(folder, name), 'something else of some length')
  for (const position of ['nonsense', '9 8\n']) {
    writeFileSync(join(folder, 'position'), position)
    const { queue, lost } = await open(folder)
    await queue.append(text('a'), 1, 0)
    assert.deepEqual(await takeAll(queue), ['a'])
    await queue.close()
    assert.deepEqual(lost, ['foreign 000000000007.queue'])
    for (const name of names) {
      assert.equal(readFileSync(join(folder, name), 'utf8'), 'something else of some length')
    }
  }
})

test('whatever bytes change, a queue opens and gives records that were written', async (t) => {
  const folder = folderOf(t)
  const { queue } = await open(folder)
  const written = ['one', 'two', 'three', 'four']
  for (const each of written) await queue.append(text(each), 1, 0)
  await queue.take((await queue.first())!)
  await queue.close()
  const names = [files(folder)[0]!, 'position']
  const whole = names.map((name) => readFileSync(join(folder, name)))
  const change = fc.record({ file: fc.nat(1), at: fc.nat(200), to: fc.nat(255), cut: fc.boolean() })
  const isKept = async (changes: { file: number; at: number; to: number; cut: boolean }[]) => {
    for (const name of files(folder)) rmSync(join(folder, name))
    const bytes = whole.map((each) => Buffer.from(each))
    for (const { file, at, to, cut } of changes) {
      const place = at % bytes[file]!.length
      bytes[file]![place] = to
      if (cut) bytes[file] = bytes[file]!.subarray(0, place + 1)
    }
    for (const [i, name] of names.entries()) writeFileSync(join(folder, name), bytes[i]!)
    const { queue: again } = await open(folder)
    try {
      await again.append(text('new'), 1, 0)
      const taken = await takeAll(again)
      assert.equal(taken.at(-1), 'new')
      assert.equal(again.items, 0)
      const rest = taken.slice(0, -1)
      assert.deepEqual(
        rest,
        written.filter((each) => rest.includes(each)),
      )
    } finally {
      await again.close()
    }
  }
  const changes = fc.array(change, { minLength: 1, maxLength: 4 })
  await holdsAsync(fc.asyncProperty(changes, isKept), 100)
})
