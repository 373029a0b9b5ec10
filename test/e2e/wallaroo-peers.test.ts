/**
 * Workers on the port that they share with scope's viewers, whatever they say and however slowly
 * (wallaroo.md §6): what they are owed, what they cost, and that nothing is written to them.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { encodeConnect, encodeJoin } from '../../src/dialects/wallaroo/codec/encode.ts'
import { wallarooOf } from '../../src/dialects/wallaroo/hub/resident.ts'
import { LENGTH_BYTES, TAIL_BYTES } from '../../src/dialects/wallaroo/spec.ts'
import { metricsBytes } from '../../src/dialects/wallaroo/test/frames.ts'
import { type PipelineHub, startPipelineHub } from '../../src/dialects/wallaroo/test/pipelines.ts'
import { respell } from '../support/codes.ts'
import { serve } from '../support/http-client.ts'
import { until } from '../support/hub/hub.ts'
import { settledBytes } from '../support/memory.ts'
import type { RawPeer } from '../support/raw-peer.ts'

interface StreamCase {
  readonly id: string
  readonly category: string
  readonly writes: readonly string[]
  readonly expect: {
    readonly messages: readonly string[]
    readonly rejected: Readonly<Record<string, number>>
    readonly notes: Readonly<Record<string, number>>
    readonly hub_closes: boolean
  }
}

const FILE = new URL('../../src/dialects/wallaroo/vectors/wallaroo.json', import.meta.url)
const { cases } = respell(JSON.parse(readFileSync(FILE, 'utf8'))) as {
  cases: readonly StreamCase[]
}
const LIMIT = 1_048_576
const OPENING = Buffer.concat([encodeConnect(), encodeJoin('golden-app', 'initializer')])
const WINDOW = metricsBytes({ bins: { 3: '2' }, min_ns: '5', max_ns: '8' })

/** Turns of the event loop in which the hub reads what has been written. */
async function turns(count = 20): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** What the hub has counted of rejected frames and notes, by name. */
function counted({ hub }: PipelineHub, name: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const record of hub.series) {
    const labels = Object.fromEntries(record.identity.labels)
    if (record.identity.name !== name || labels.dialect !== 'wallaroo') continue
    const { total } = hub.total(record) as { total: number | bigint }
    counts[labels.code ?? labels.note!] = Number(total)
  }
  return counts
}

const errors = (hub: PipelineHub) => counted(hub, 'pentameter.decode.errors')
const notes = (hub: PipelineHub) => counted(hub, 'pentameter.decode.notes')

test('every stream gives what it should, cut anywhere, and gets no byte back', async (context) => {
  const shared = cases.filter(({ category, writes }) => {
    return category === 'stream' && writes.join('').startsWith('0000')
  })
  assert.ok(shared.length >= 15)
  for (const { id, writes, expect } of shared) {
    const bytes = Buffer.from(writes.join(''), 'hex')
    for (const cut of [1, 3, 5, bytes.length - 1]) {
      const hub = await startPipelineHub(context)
      const peer = await hub.peer()
      peer.write(bytes.subarray(0, cut))
      await turns()
      // nothing tells a dialect by time once a byte has come
      hub.clock.advance(60)
      peer.write(bytes.subarray(cut))
      peer.socket.end()
      await peer.ended()
      const windows = expect.messages.filter((line) => line.startsWith('metrics'))
      assert.equal(hub.hub.measurements('wallaroo'), windows.length, `${id} cut at ${cut}`)
      assert.deepEqual(errors(hub), expect.rejected, `${id} cut at ${cut}`)
      const { late_window: _, ...seen } = notes(hub)
      assert.deepEqual(seen, expect.notes, `${id} cut at ${cut}`)
      assert.equal(peer.socket.bytesRead, 0, `${id} cut at ${cut}`)
      await hub.hub.stop()
    }
  }
})

test('what begins as nothing here does is closed without a byte', async (context) => {
  const hub = await startPipelineHub(context)
  for (const text of [
    'GET / HTTP/1.1\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01',
    '\xff\xff\xff\xff\x01',
  ]) {
    const peer = await hub.peer()
    peer.write(Buffer.from(text, 'latin1'))
    await peer.ended()
    assert.equal(peer.socket.bytesRead, 0)
  }
  const [error, ...others] = hub.hub.sources().errors
  assert.deepEqual([error!.code, error!.count, others], ['unclaimed', 3, []])
  const guesses = error!.last.map(({ guess }) => guess?.split(':')[0])
  assert.deepEqual(guesses, ['looks like HTTP', 'looks like TLS', undefined])
})

test('a frame of 64 KiB and more may be the first one of a shared port', async (context) => {
  const hub = await startPipelineHub(context, { wallaroo: { maxFrameBytes: 200_000 } })
  const body = (size: number) => Buffer.concat([Buffer.of(9), Buffer.alloc(size - 1)])
  const frame = (size: number) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(size)
    return Buffer.concat([length, body(size)])
  }
  const long = metricsBytes({ name: 'n'.repeat(60_000), pipeline: 'p'.repeat(60_000) })
  for (const cut of [1, 2, 4, 5, long.length]) {
    const before = hub.hub.measurements('wallaroo')
    const peer = await hub.peer()
    peer.write(long.subarray(0, cut))
    await turns()
    hub.clock.advance(100)
    peer.write(long.subarray(cut))
    await hub.taken(before + 1)
    assert.equal(peer.socket.bytesRead, 0)
    // the limit holds for every later one as well
    peer.write(frame(200_000))
    peer.write(frame(200_001))
    await peer.ended()
  }
  const found = { unknown_type: 5, frame_too_large: 5 }
  assert.deepEqual(errors(hub), found)
  const large = await hub.peer()
  large.write(Buffer.concat([frame(200_001).subarray(0, 4), Buffer.of(2)]))
  await large.ended()
  assert.equal(large.socket.bytesRead, 0)
  assert.deepEqual(errors(hub), { ...found, frame_too_large: 6 })
})

test('a worker that was greeted for its silence is taken as one all the same', async (context) => {
  const hub = await startPipelineHub(context)
  for (const first of [1, 2, 3, 9]) {
    const before = hub.hub.measurements('wallaroo')
    const peer = await hub.peer()
    await turns()
    hub.clock.advance(50)
    await peer.take(2)
    const stream = Buffer.concat([OPENING, WINDOW])
    peer.write(stream.subarray(0, first))
    await turns()
    hub.clock.advance(20_000)
    peer.write(stream.subarray(first))
    await hub.taken(before + 1)
    peer.socket.end()
    await peer.ended()
    assert.equal(peer.socket.bytesRead, 2, 'only the version that every viewer gets first')
  }
  assert.deepEqual([errors(hub), hub.hub.sources().errors], [{}, []])
  const counts = hub.log.filter((line) => line.includes('viewer'))
  assert.deepEqual(counts, [])
})

test('notes are counted by name, and a bad frame is logged with 64 bytes', async (context) => {
  const hub = await startPipelineHub(context)
  const http = await serve(context, { view: hub.hub })
  const peer = await hub.peer()
  const odd = metricsBytes({ bins: { 3: '1' }, min_ns: '900', max_ns: '900', period_ns: '0' })
  const broken = Buffer.concat([WINDOW, Buffer.alloc(1)])
  broken.writeUInt32BE(broken.length - LENGTH_BYTES, 0)
  const shortJoin = Buffer.from('0000000e02000000096d6574726963733a61', 'hex')
  peer.write(Buffer.concat([OPENING, OPENING, shortJoin, broken, broken, odd, WINDOW]))
  await hub.taken(2)
  hub.clock.advance(1000)
  const { text } = await http.ask('/metrics')
  for (const [note, count] of Object.entries({
    ...{ repeated_connect: 1, repeated_join: 1, join_without_worker: 1 },
    ...{ minmax_inconsistent: 1, zero_period: 1 },
  })) {
    const line = `pentameter_decode_notes_total{dialect="wallaroo",note="${note}"} ${count}\n`
    assert.ok(text.includes(line), note)
  }
  const error = 'pentameter_decode_errors_total{code="malformed_metrics",dialect="wallaroo"} 2\n'
  assert.ok(text.includes(error))
  // the short Join makes an application known that has no worker
  const { applications } = (await wallarooOf(hub.hub)!.applications())!
  const known = applications.map(({ application }) => application)
  assert.deepEqual(known, ['a', 'golden-app'])
  const lines = hub.log.filter((line) => line.includes('frame rejected'))
  assert.equal(lines.length, 1)
  assert.ok(lines[0]!.includes(`"${broken.subarray(0, 64).toString('hex')}"`), lines[0]!)
})

/** A Metrics frame of a length, by names as long as that takes. */
function frameOfLength(length: number): Buffer {
  const fixed = 594 + 'metrics:golden-app'.length + 'computation'.length + 'w'.length
  const rest = length - fixed
  const texts = ['n'.repeat(rest - 1), 'computation', 'w', 'p']
  const str = (text: string): Buffer => {
    const bytes = Buffer.from(text)
    const size = Buffer.alloc(4)
    size.writeUInt32BE(bytes.length)
    return Buffer.concat([size, bytes])
  }
  const payload = Buffer.concat([Buffer.alloc(4), ...texts.map(str), Buffer.alloc(TAIL_BYTES)])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(payload.length)
  const body = [Buffer.of(3), str('metrics'), str('metrics:golden-app'), size, payload]
  const head = Buffer.alloc(LENGTH_BYTES)
  const frame = Buffer.concat(body)
  head.writeUInt32BE(frame.length)
  assert.equal(frame.length, length)
  return Buffer.concat([head, frame])
}

test('a frame of 1,048,576 bytes is taken, one of a byte more ends its sender', async (context) => {
  const hub = await startPipelineHub(context)
  const peer = await hub.peer()
  peer.write(Buffer.concat([OPENING, frameOfLength(LIMIT), WINDOW]))
  await hub.taken(2)
  assert.deepEqual(errors(hub), {})
  peer.write(frameOfLength(LIMIT + 1))
  await peer.ended()
  assert.deepEqual(errors(hub), { frame_too_large: 1 })
  assert.equal(peer.socket.bytesRead, 0)
  assert.equal(hub.hub.measurements('wallaroo'), 2)
})

test('a connection holds what has come of a frame, and no more than one', async (context) => {
  const hub = await startPipelineHub(context)
  const count = 20
  const peers: RawPeer[] = []
  const cut = frameOfLength(LIMIT).subarray(0, LIMIT)
  const before = await settledBytes()
  for (let i = 0; i < count; i++) {
    const peer = await hub.peer()
    peers.push(peer)
    peer.write(OPENING)
    peer.write(cut)
  }
  const held = () => wallarooOf(hub.hub)!.workerConnections(undefined).connections
  await until(() => peers.every(({ socket }) => socket.writableLength === 0))
  await until(() => held().filter(({ bytesHeld }) => bytesHeld >= LIMIT).length === count)
  await turns()
  const perConnection = ((await settledBytes()) - before) / count
  assert.ok(perConnection < LIMIT + 65_536, `${perConnection} bytes`)
  assert.ok(perConnection > LIMIT / 2, `${perConnection} bytes cannot be all of it`)
  const other = await hub.peer()
  await hub.send(other, [{ bins: { 1: '1' } }])
})

test('a connection that is quiet holds nothing of what it has said', async (context) => {
  const hub = await startPipelineHub(context)
  const count = 50
  const said = Buffer.concat(Array.from({ length: 300 }, () => WINDOW))
  const warm = await hub.peer()
  warm.write(said)
  await hub.taken(300)
  const before = await settledBytes()
  for (let i = 0; i < count; i++) (await hub.peer()).write(said)
  await hub.taken(300 * (count + 1))
  const perConnection = ((await settledBytes()) - before) / count
  assert.ok(perConnection < 49_152, `${perConnection} bytes`)
})
