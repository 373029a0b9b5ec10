import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { packet, sendUdp, startHub, type TestHub, until } from '../../test/support/hub/hub.ts'
import { CallbackSource } from '../dialects/scope/server/callback-source.ts'
import { ScopeServer } from '../dialects/scope/server.ts'
import type { SeriesRecord } from './series/record.ts'
import type { PeerStatus } from './status/status.ts'

/** A scope exporter and a hub that reads it, both under the hub's clock. */
async function attachedHub(options: Record<string, unknown> = {}) {
  const values = new CallbackSource()
  const exporter = new ScopeServer({ source: values, port: 0 })
  await exporter.start()
  const { port } = exporter
  const started = await startHub({
    attach: [`scope://127.0.0.1:${port}`],
    scope: { client: { samplingIntervalMs: 5 } },
    ...options,
  })
  return { ...started, values, exporter }
}

function named({ hub }: Pick<TestHub, 'hub'>, name: string): SeriesRecord | undefined {
  return [...hub.series].find(({ identity }) => identity.name === name)
}

function gaugeOf({ hub }: Pick<TestHub, 'hub'>, name: string): unknown {
  const record = named({ hub }, name)
  const total = record && hub.total(record)
  return total?.kind === 'gauge' ? total.value : undefined
}

test('a hub reads a scope exporter, and says so among its connections', async () => {
  const { hub, clock, values, exporter } = await attachedHub()
  values.add('level', () => 42.5, { unit: 'm' })
  await until(() => gaugeOf({ hub }, 'level') === 42.5)
  clock.advance(1000)
  const { connections, dialects } = hub.sources()
  const [connection] = connections
  assert.deepEqual([connection?.dialect, connection?.openedBy], ['scope', 'hub'])
  assert.equal(connection?.facts.state, 'online')
  assert.equal(dialects.find(({ name }) => name === 'scope')!.ratePerSecond > 0, true)
  await hub.stop()
  await exporter.close()
})

test('an attached gauge that expired comes back as itself', async () => {
  const { hub, clock, values, exporter } = await attachedHub({ expireAfterS: 5 })
  let level = Number.NaN
  let depth = 7
  values.add('level', () => level)
  values.add('depth', () => depth)
  level = 1
  await until(() => gaugeOf({ hub }, 'level') === 1)
  level = Number.NaN
  for (let second = 0; second < 8; second++) {
    depth++
    await until(() => gaugeOf({ hub }, 'depth') === depth)
    clock.advance(1000)
  }
  assert.equal(named({ hub }, 'level'), undefined)
  level = 3
  await until(() => gaugeOf({ hub }, 'level') === 3)
  assert.equal(gaugeOf({ hub }, 'depth'), depth)
  await hub.stop()
  await exporter.close()
})

test('what a hub remembers of an attached peer has a limit of bytes', async () => {
  const values = new CallbackSource()
  for (let i = 0; i < 40; i++) values.add(`${i}`.padStart(4000, 'n'), () => 1)
  const exporter = new ScopeServer({ source: values, port: 0 })
  await exporter.start()
  const attach = [`scope://127.0.0.1:${exporter.port}`]
  const { hub } = await startHub({ attach, attachedBytesLimit: 100_000 })
  const taken = () => [...hub.series].filter(({ identity }) => identity.name.length === 4000)
  const omitted = () => {
    const found = [...hub.series].find(
      ({ identity }) => identity.name === 'pentameter.scope.names_omitted',
    )
    return found?.identity.labels.find(([key]) => key === 'reason')?.[1]
  }
  await until(() => taken().length > 0 && omitted() === 'max_bytes')
  assert.equal(taken().length, 5)
  await hub.stop()
  await exporter.close()
})

test('a peer that was never reached is no connection, and says why', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  const name = `scope://127.0.0.1:${port}`
  const { hub, clock } = await startHub({ attach: [name] })
  await until(() => hub.sources().peers?.[0]?.message !== undefined)
  const { peers, connections } = hub.sources()
  const [{ message, nextTryMs, source: _, ...peer }] = peers as [PeerStatus]
  const facts = { name, dialect: 'scope', direction: 'attach' }
  assert.deepEqual(peer, { ...facts, state: 'never', sinceMs: clock.wallMs() })
  assert.match(message!, /ECONNREFUSED/)
  assert.equal(nextTryMs! > clock.wallMs(), true)
  assert.deepEqual(connections, [])
})

test('a relay is listed and tried before there is anything to send', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  const relay = [`wallaroo+tcp://127.0.0.1:${port}`]
  const { hub } = await startHub({ relay })
  const peer = () => hub.sources().peers?.[0]
  assert.equal(peer()?.state, 'never')
  await until(() => peer()?.message !== undefined)
  assert.equal(peer()?.name, relay[0])
  assert.equal(peer()?.direction, 'relay')
  assert.match(peer()!.message!, /ECONNREFUSED/)
  await hub.stop()
})

test('a peer that is gone is none any more, and one again when it is back', async () => {
  const { hub, clock, values, exporter, log } = await attachedHub()
  values.add('level', () => 1)
  const state = (): unknown => hub.sources().peers?.[0]?.state
  const told = (): (string | undefined)[] => {
    return log.flatMap((line) => /^\w+ (peer [^{]*) \{"peer":"scope:/.exec(line)?.[1] ?? [])
  }
  await until(() => state() === 'connected')
  assert.equal(hub.sources().connections.length, 1)
  const { port } = exporter
  clock.advance(3000)
  await exporter.close()
  await until(() => state() === 'lost')
  const [gone] = hub.sources().peers!
  assert.equal(gone!.sinceMs, clock.wallMs())
  assert.equal(hub.sources().connections.length, 0)
  const again = new ScopeServer({ source: values, port })
  await again.start()
  await until(() => {
    clock.advance(1000)
    return state() === 'connected'
  })
  assert.equal(hub.sources().peers![0]!.message, undefined)
  clock.advance(1000)
  assert.deepEqual(told(), ['peer connected', 'peer lost', 'peer connected'])
  await hub.stop()
  await again.close()
})

test('a dialect that only dials has no command to try: it listens nowhere', async () => {
  const { hub } = await startHub({ attach: ['prometheus+http://127.0.0.1:9/metrics'] })
  const scraping = hub.sources().dialects.find(({ name }) => name === 'scraping')
  assert.partialDeepStrictEqual(scraping, { address: '', tryIt: '' })
  await hub.stop()
})

test('a relay by UDP whose receiver refuses is not there, until it refuses no more', async () => {
  const receiver = createSocket('udp4').bind(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address()
  receiver.close()
  const started = await startHub({ relay: [`statshero+udp://127.0.0.1:${port}`] })
  const { hub, clock } = started
  const second = async (isTrue: () => boolean) => {
    await sendUdp(started, [packet('a:1|m\n')])
    clock.advance(1000)
    await setImmediate()
    return isTrue()
  }
  const peer = () => hub.sources().peers![0]!
  await until(() => second(() => peer().state === 'lost'))
  assert.equal(peer().name, `statshero+udp://127.0.0.1:${port}`)
  assert.match(peer().message!, /ECONNREFUSED/)
  const back = createSocket('udp4').bind(port, '127.0.0.1')
  await once(back, 'listening')
  await until(() => second(() => peer().state === 'connected'))
  back.close()
})

test('with the session its values end: a gap for viewers, exports and history', async () => {
  const { hub, clock, values, exporter } = await attachedHub()
  values.add('level', () => 1)
  await until(() => gaugeOf({ hub }, 'level') === 1)
  clock.advance(1000)
  const level = named({ hub }, 'level')!
  await exporter.close()
  await until(() => hub.sources().peers?.[0]?.state === 'lost')
  assert.ok(Number.isNaN(gaugeOf({ hub }, 'level')))
  clock.advance(1000)
  const cell = hub.live.newest!.cell(level.id, 'gauge')
  assert.ok(cell?.kind === 'gauge' && Number.isNaN(cell.value))
  const { source } = hub.sources().peers![0]!
  assert.equal(source, level.source)
  const nowMs = clock.wallMs()
  clock.advance(3000)
  assert.equal(hub.wasAway(source!, nowMs, nowMs + 3000), true)
  // it went a second ago
  assert.equal(hub.wasAway(source!, nowMs - 3000, nowMs), true)
  assert.equal(hub.wasAway(source!, nowMs - 3000, nowMs - 1000), false)
  assert.equal(hub.wasAway('10.0.0.1', nowMs, nowMs + 1000), false)
})

test('samples of an exporter are kept with their times, and no second hides a peak', async (t) => {
  const values = new CallbackSource()
  const exporter = new ScopeServer({ source: values, port: 0 })
  await exporter.start()
  t.after(() => exporter.close())
  let saw = 0
  values.add('saw', () => {
    saw = (saw + 1) % 50
    return saw
  })
  const started = await startHub({ attach: [`scope://127.0.0.1:${exporter.port}?interval=2ms`] })
  t.after(() => started.hub.stop())
  const log = started.hub.samples.logs.at(-1)!
  await until(() => log.rows > 120)
  const record = named(started, 'saw')!
  started.clock.advance(1000)
  const times: number[] = []
  const told = new Set<number>()
  for (const { block, from, to } of log.since(0)) {
    const column = block.layout.columnOf(record.id)
    for (let row = from; row < to; row++) {
      times.push(block.times[row]!)
      told.add(block.values[column * block.times.length + row]!)
    }
  }
  assert.ok(times.every((ms, i) => i === 0 || ms > times[i - 1]!))
  const cell = started.hub.live.newest!.cell(record.id, 'gauge')
  assert.equal(cell?.kind, 'gauge')
  const { min, max, count } = cell.spread!
  assert.deepEqual([min, max], [Math.min(...told), Math.max(...told)])
  assert.ok(count >= 120 && told.size > 1, `${count} samples, ${told.size} values`)
})

test('an address with an option that means nothing is refused at the start', async () => {
  const problem = /attach scope:\/\/127\.0\.0\.1:9\?intervall=1ms: unknown option intervall/
  await assert.rejects(startHub({ attach: ['scope://127.0.0.1:9?intervall=1ms'] }), problem)
})
