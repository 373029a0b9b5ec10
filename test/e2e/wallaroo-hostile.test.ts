/**
 * Peers that mean no good, or are broken, on the port that they share with a good one
 * (wallaroo.md §6): what they cost is bounded, and the good one loses nothing.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { encodeConnect, encodeJoin } from '../../src/dialects/wallaroo/codec/encode.ts'
import { wallarooOf } from '../../src/dialects/wallaroo/hub/resident.ts'
import { metricsBytes } from '../../src/dialects/wallaroo/test/frames.ts'
import { type PipelineHub, startPipelineHub } from '../../src/dialects/wallaroo/test/pipelines.ts'
import { mutate } from '../fuzz/engine/mutate.ts'
import { Random } from '../fuzz/engine/random.ts'
import { respell } from '../support/codes.ts'
import { until } from '../support/hub/hub.ts'
import { settledBytes } from '../support/memory.ts'

const FILE = new URL('../../src/dialects/wallaroo/vectors/wallaroo.json', import.meta.url)
const OPENING = Buffer.concat([encodeConnect(), encodeJoin('golden-app', 'initializer')])

/** Messages of a worker of the good peer, as its view has them. */
async function messagesOf({ hub }: PipelineHub, worker: string): Promise<string> {
  const key = { category: 'computation', worker }
  const view = await wallarooOf(hub)!.view({ application: 'golden-app', key, seconds: 300 })
  return `${view?.total.messages}`
}

test('peers that send nonsense, and break off anywhere, cost a good one nothing', async (t) => {
  const hub = await startPipelineHub(t, { seriesLimitPerSource: 2000 })
  const { cases } = respell(JSON.parse(readFileSync(FILE, 'utf8'))) as {
    cases: readonly { readonly hex?: string; readonly writes?: readonly string[] }[]
  }
  const texts = cases.flatMap(({ hex, writes }) => hex ?? writes?.join('') ?? [])
  const corpus = texts.map((text) => Buffer.from(text, 'hex')).filter(({ length }) => length < 8192)
  const random = new Random(7)
  const good = await hub.peer()
  good.write(OPENING)
  const rounds = 60
  for (let round = 0; round < rounds; round++) {
    const hostile = await Promise.all(Array.from({ length: 5 }, () => hub.peer()))
    for (const peer of hostile) {
      peer.write(Buffer.of(0))
      peer.write(Buffer.concat([OPENING.subarray(1), mutate(random, corpus)]))
    }
    good.write(metricsBytes({ worker: 'good', bins: { 3: '1' }, end_ns: endNs(hub) }))
    for (const peer of hostile) {
      if (random.below(2) === 0) peer.socket.end()
      else peer.socket.resetAndDestroy()
    }
    hub.clock.advance(1000)
  }
  const connected = () => wallarooOf(hub.hub)!.workerConnections(undefined).connections
  await until(() => connected().length === 1)
  await until(async () => (await messagesOf(hub, 'good')) === `${rounds}`)
  assert.equal(good.socket.bytesRead, 0)
  const codes = hub.hub.sources().errors.map(({ code }) => code)
  assert.ok(codes.includes('malformed_metrics') && codes.includes('frame_too_large'), `${codes}`)
  assert.deepEqual(connected()[0]!.rejects, [])
})

test('frames that come a byte at a time, on many connections, all arrive', async (context) => {
  const hub = await startPipelineHub(context)
  const peers = await Promise.all(Array.from({ length: 40 }, () => hub.peer()))
  const stream = Buffer.concat([OPENING, metricsBytes({ bins: { 3: '1' }, end_ns: endNs(hub) })])
  for (const byte of stream) {
    for (const { socket } of peers) socket.write(Buffer.of(byte))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await hub.taken(peers.length)
  assert.equal(await messagesOf(hub, 'initializer'), `${peers.length}`)
  assert.ok(peers.every(({ socket }) => socket.bytesRead === 0))
})

test('joins without end are bounded, and those that were known stay so', async (context) => {
  const hub = await startPipelineHub(context)
  const [good, hostile] = [await hub.peer(), await hub.peer()]
  await hub.send(good, [{ worker: 'good', bins: { 3: '1' }, end_ns: endNs(hub) }])
  const join = (i: number) => encodeJoin(`app ${i % 700}`, `worker ${i}`)
  hostile.write(Buffer.concat(Array.from({ length: 30_000 }, (_, i) => join(i))))
  await hub.send(hostile, [{ worker: 'last', bins: { 3: '1' }, end_ns: endNs(hub) }])
  const { workers, connections } = wallarooOf(hub.hub)!.workerConnections(undefined)
  // those that have sent a window are as limited as series are, all others in number
  assert.ok(workers.length > 9_998 && workers.length <= 10_002, `${workers.length} workers`)
  assert.ok(workers.some(({ worker, isConnected }) => worker === 'good' && isConnected))
  assert.deepEqual(connections.map((each) => each.workers.length).sort(), [1, 100])
  hostile.close()
  await until(() => wallarooOf(hub.hub)!.workerConnections(undefined).connections.length === 1)
  const { workers: left } = wallarooOf(hub.hub)!.workerConnections(undefined)
  assert.equal(left.filter(({ isConnected }) => isConnected).length, 1)
})

test('names, topics and counts of any size cost bounded memory and disturb nobody', async (t) => {
  const hub = await startPipelineHub(t, { seriesLimitPerSource: 500 })
  const good = await hub.peer()
  const hostile = await hub.peer()
  const most = 2n ** 64n - 1n
  const full = Object.fromEntries(Array.from({ length: 65 }, (_, bin) => [`${bin}`, `${most}`]))
  const long = 'x'.repeat(65_535)
  const rounds = 12
  let sent = 2
  let retained = 0
  await hub.send(good, [
    { worker: 'good', bins: { 3: '1' }, end_ns: endNs(hub) },
    { worker: 'huge', bins: full, end_ns: endNs(hub) },
  ])
  const say = async (frames: readonly Uint8Array[], windows: number): Promise<void> => {
    hostile.write(Buffer.concat(frames))
    sent += windows
    await hub.taken(sent)
  }
  for (let round = 0; round < rounds; round++) {
    const joins = Array.from({ length: 400 }, (_, i) => encodeJoin(`app ${round} ${i}`, 'w'))
    const topics = Array.from({ length: 400 }, (_, i) => {
      return metricsBytes({ application: `topic ${round} ${i}`, bins: { 5: '1' } })
    })
    const names = Array.from({ length: 20 }, (_, i) => {
      const name = `${round} ${i} ${long}`.slice(0, 65_535)
      return metricsBytes({ name, worker: name, pipeline: name, application: name })
    })
    const huge = { worker: 'huge', bins: full, end_ns: endNs(hub) }
    const counts = Array.from({ length: 20 }, () => metricsBytes(huge))
    await say(joins, 0)
    await say(topics, topics.length)
    await say(names, names.length)
    await say(counts, counts.length)
    await hub.send(good, [{ worker: 'good', bins: { 3: '1' }, end_ns: endNs(hub) }])
    sent++
    hub.clock.advance(1000)
    if (round === 2) retained = await settledBytes()
  }
  const grown = (await settledBytes()) - retained
  const names = 20 * 4 * 65_535 * (rounds - 3)
  assert.ok(grown < names / 4, `${grown} bytes more, of ${names} in long names alone`)
  assert.equal(await messagesOf(hub, 'good'), `${rounds + 1}`)
  assert.equal(await messagesOf(hub, 'huge'), `${65n * most * BigInt(20 * rounds + 1)}`)
  assert.deepEqual([good.socket.bytesRead, hostile.socket.bytesRead], [0, 0])
})

function endNs({ clock }: PipelineHub): string {
  return `${BigInt(Math.floor(clock.wallMs() / 1000)) * 1_000_000_000n}`
}
