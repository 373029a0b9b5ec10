import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { packet, sendTcp, sendUdp, startHub, until } from '../../../test/support/hub/hub.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import { guessForeign } from './foreign.ts'

const NOWHERE = { spoken: [], httpAddress: '127.0.0.1:4000' }

const guessed = (first: string): string | undefined =>
  guessForeign(Buffer.from(first, 'latin1'), 'udp', 'text', NOWHERE)

test('what comes to the ports of metrics by mistake is told apart by its first bytes', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'HTTP/2 without TLS'],
    ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'TLS:'],
    ['\x16\xfe\xfd\x00\x00', 'DTLS:'],
    ['SSH-2.0-OpenSSH_9.2p1\r\n', 'SSH'],
    ['PROXY TCP4 192.0.2.1 192.0.2.2 40000 8125\r\n', 'the PROXY protocol'],
    ['GET /metrics HTTP/1.1\r\nHost: a\r\n', 'HTTP:'],
    ['\x10\x0f\x00\x04MQTT\x04\x02\x00\x3c', 'MQTT'],
    ['\0\0\0\x08\x04\xd2\x16\x2f', 'PostgreSQL'],
    ['*1\r\n$4\r\nPING\r\n', 'Redis'],
    ['<34>1 2003-10-11T22:14:15.003Z mymachine su - ID47 - failed', 'syslog'],
    ['<34>Oct 11 22:14:15 mymachine su: failed', 'syslog'],
    ['{"version":"1.1","host":"a","short_message":"b"}', 'GELF:'],
    ['\x1e\x0f\x01\x02', 'GELF in chunks'],
    ['\0\x09\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0', 'NetFlow'],
    ['\0\0\0\x09host\0\0\x08\0\x0c', 'collectd'],
    ['gorets:1|c', 'statsd'],
    ['glork:320|ms|@0.1\n', 'statsd'],
    ['page.views:1:2:32|d|#env:dev', 'statsd'],
    ['gaugor:-10|g', 'statsd'],
    ['_e{5,4}:title|text', 'an event or service check'],
    ['# TYPE http_requests_total counter\n', 'text for Prometheus'],
    ['http_requests_total{method="post"} 1027', 'text for Prometheus'],
    ['weather,location=us-midwest temperature=82 1465839830100400200', 'a line of InfluxDB'],
    ['cpu value=1i', 'a line of InfluxDB'],
    ['local.random.diceroll 4 1700000000\n', "Graphite's plain text"],
    ['\0\0\x01\x05\x80\x02]q\0', "a pickle of Graphite's"],
    ['\x1f\x8b\x08\0', 'gzip'],
    ['{"a":1}', 'JSON'],
    ['[{"a":1}]', 'JSON'],
    ['\xab\xcd\x01\0\0\x01\0\0\0\0\0\0\x07example\x03com\0\0\x01\0\x01', 'DNS'],
  ]
  for (const [first, what] of cases) {
    assert.equal(
      guessed(first)?.startsWith(`looks like ${what}`),
      true,
      `${first}: ${guessed(first)}`,
    )
  }
})

test('what looks like nothing that is known is not guessed at', () => {
  for (const first of ['', '\0', 'hello', '\xff\xfe\xfd', '2', 'a:b', '{', 'x y', '<html>']) {
    assert.equal(guessed(first), undefined, first)
  }
})

test('what a dialect without a port could not read is not said to be another one', () => {
  const own = { name: 'own', claims: () => false } as unknown as Dialect
  const spoken = [{ dialect: own, listener: '', address: '' }]
  const surroundings = { ...NOWHERE, spoken }
  assert.equal(guessForeign(Buffer.from('{"a":1}'), 'tcp', 'own', surroundings), undefined)
  assert.match(guessForeign(Buffer.from('{"a":1}'), 'tcp', 'text', surroundings)!, /JSON/)
})

test('bytes of no dialect are an error of their listener, with who, what and a guess', async () => {
  const started = await startHub()
  const { hub, clock } = started
  await sendUdp(started, [Buffer.from('gorets:1|c'), packet('a:1|m\n')])
  await sendTcp(started, [Buffer.from('SSH-2.0-x\r\n')])
  clock.advance(1000)
  const { errors, dialects, listeners, sources } = hub.sources()
  const [error] = errors
  assert.deepEqual([error?.dialect, error?.code, error?.count], ['text', 'unclaimed', 2])
  const [statsd, ssh] = error!.last
  assert.match(statsd!.peer, /^udp 127\.0\.0\.1:\d+$/)
  assert.match(ssh!.peer, /^tcp 127\.0\.0\.1:\d+$/)
  assert.equal(Buffer.from(statsd!.hex, 'hex').toString(), 'gorets:1|c')
  assert.equal(statsd!.detail, 'of no dialect that listens here (Stats Hero)')
  assert.equal(statsd!.guess, 'looks like statsd, which this version does not speak')
  assert.equal(ssh!.guess, 'looks like SSH, which this version does not speak')
  assert.equal(dialects[0]!.errors, 2)
  assert.deepEqual(
    listeners.map(({ name, unclaimed }) => [name, unclaimed]),
    [
      ['text', 2],
      ['stream', 0],
    ],
  )
  const [unknown] = sources.filter(({ dialect }) => dialect === 'text')
  assert.deepEqual([unknown?.address, unknown?.errors, unknown?.series], ['127.0.0.1', 2, 0])
})

test('in threads it is the same: all are counted, an address is told of once', async () => {
  const started = await startHub({ ingestWorkers: 2 })
  const { hub, log } = started
  const isCounted = (count: number) => () => hub.sources().errors[0]?.count === count
  await sendUdp(started, [Buffer.from('gorets:1|c'), Buffer.from('gorets:2|c')])
  await sendUdp(started, [Buffer.from('{"a":1}')], '127.0.0.2')
  await sendTcp(started, [Buffer.from('GET / HTTP/1.1\r\n')])
  await until(isCounted(4))
  assert.equal(hub.sources().listeners[0]!.unclaimed, 4)
  const told = log.filter((line) => line.includes('first bytes that no dialect claims'))
  // threads tell of what they read, whichever is first
  const guesses = told.map((line) => /looks like \w+/.exec(line)?.[0])
  assert.deepEqual(guesses.sort(), ['looks like JSON', 'looks like statsd'])
})

test('a connection that goes before its dialect is known has said something, too', async () => {
  const started = await startHub()
  const socket = connect(started.textPort, '127.0.0.1').on('error', () => {})
  socket.write('1')
  await until(() => started.hub.sources().listeners[0]!.connections === 1)
  socket.resetAndDestroy()
  await until(() => started.hub.sources().errors[0]?.code === 'unclaimed')
  assert.equal(started.hub.sources().errors[0]!.last[0]!.hex, '31')
})

test('a dialect that listens elsewhere is named with its address', async () => {
  const started = await startHub()
  const { hub, streamPort } = started
  await sendTcp({ textPort: streamPort }, [packet('a:1|m\n')])
  await sendTcp({ textPort: streamPort }, [Buffer.from('GET / HTTP/1.1\r\n\r\n')])
  await until(() => hub.sources().errors.length > 0)
  const guesses = hub.sources().errors.flatMap(({ last }) => last.map(({ guess }) => guess))
  assert.match(
    guesses[0] ?? '',
    /^looks like Stats Hero, which is taken at udp\+tcp 127.0.0.1:\d+$/,
  )
  assert.match(guesses[1] ?? '', /^looks like HTTP: page, API and .metrics are at http:/)
})

test('bytes of no dialect are that on the stream port, too, whenever they come', async () => {
  const started = await startHub()
  const { hub, clock, streamPort } = started
  const said = ['GET / HTTP/1.1\r\n\r\n', 'gorets:1|c', '\x16\x03\x01\x02\x00', 'G']
  for (const text of said) {
    await sendTcp({ textPort: streamPort }, [Buffer.from(text, 'latin1')])
    // one that was silent has been told the version
    const slow = connect(streamPort, '127.0.0.1').on('error', () => {})
    await until(() => hub.sources().listeners[1]!.connections === 1)
    clock.advance(1000)
    await once(slow, 'data')
    slow.end(Buffer.from(text, 'latin1'))
    await until(() => hub.sources().listeners[1]!.connections === 0)
  }
  const { errors, listeners, dialects } = hub.sources()
  const [error, ...others] = errors
  assert.deepEqual(others, [])
  assert.deepEqual([error!.dialect, error!.code, error!.count], ['stream', 'unclaimed', 8])
  assert.equal(listeners[1]!.unclaimed, 8)
  // for which of the two it was meant is not known
  assert.deepEqual(new Set(dialects.map((each) => each.errors)), new Set([0]))
  const last = error!.last.map(({ hex, guess }) => {
    return [Buffer.from(hex, 'hex').toString('latin1'), /^looks like [\w ]+/.exec(guess ?? '')?.[0]]
  })
  const guesses = ['looks like HTTP', 'looks like statsd', 'looks like TLS', undefined]
  assert.deepEqual(
    last,
    said.flatMap((text, i) => [
      [text, guesses[i]],
      [text, guesses[i]],
    ]),
  )
})

test('an address of IPv6 stands in brackets before its port, and is told of once', async () => {
  const { hub, log } = await startHub()
  const error = { dialect: 'text', code: 'unclaimed', offset: 0, resync: false }
  for (const port of [7, 8]) {
    const peer = { transport: 'udp', address: '2001:db8::1', port } as const
    hub.reports.decodeError(error, Buffer.from('x'), peer, '')
  }
  const peers = hub.sources().errors[0]!.last.map(({ peer }) => peer)
  assert.deepEqual(peers, ['udp [2001:db8::1]:7', 'udp [2001:db8::1]:8'])
  const told = log.filter((line) => line.includes('first bytes that no dialect claims'))
  assert.equal(told.length, 1)
})

test('a flood from many addresses fills no log: 256 are told of, all are counted', async () => {
  const { hub, log } = await startHub()
  const error = { dialect: 'text', code: 'unclaimed', offset: 0, resync: false }
  for (let i = 0; i < 300; i++) {
    const address = `10.0.${i >> 8}.${i & 255}`
    const peer = { transport: 'udp', address, port: 1 } as const
    for (let j = 0; j < 2; j++) hub.reports.decodeError(error, Buffer.from('x'), peer, '')
  }
  assert.equal(hub.sources().errors[0]!.count, 600)
  const told = log.filter((line) => line.includes('first bytes that no dialect claims'))
  assert.equal(told.length, 256)
})
