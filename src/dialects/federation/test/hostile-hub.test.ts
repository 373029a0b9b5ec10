import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, suite, test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { until } from '../../../../test/support/hub/hub.ts'
import { encodeFederation } from '../codec.ts'
import { CONTENT_TYPE } from '../spec.ts'
import { addressOf, attached, count, second, servedHub, stateOf, totalOf } from './hubs.ts'

const HELLO = { type: 'hello', version: 1, start: 'x', hub: '9', nowMs: 1.7e12, first: 1 }
const SERIES = {
  type: 'series',
  series: [
    {
      ...{ ref: 1, form: 0 },
      identity: { name: 'requests', kind: 'counter', labels: [] },
      metadata: { dialect: 'statshero' },
    },
  ],
}
const END = { type: 'end', sequence: 1, endMs: 1.7e12 + 1000, seconds: 1, nowMs: 1.7e12 + 1000 }

function stream(...messages: readonly unknown[]): Buffer {
  return Buffer.concat(encodeFederation(messages))
}

function answer(outgoing: ServerResponse, body: Uint8Array): ServerResponse {
  outgoing.writeHead(200, { 'Content-Type': CONTENT_TYPE })
  outgoing.write(body)
  return outgoing
}

/** Answers with a greeting of its own, and what follows. */
function greet(outgoing: ServerResponse, rest: Uint8Array): ServerResponse {
  const start = String(outgoing.socket?.localPort)
  return answer(outgoing, Buffer.concat([stream({ ...HELLO, start }), rest]))
}

/** A message whose body is these bytes. */
function raw(type: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32LE(body.length)
  head[4] = type
  return Buffer.concat([head, body])
}

type Answer = (outgoing: ServerResponse) => unknown

/** Answers of what is no good hub, and what is said of each; undefined where it stays attached. */
const ANSWERS: readonly (readonly [string, Answer, RegExp | undefined])[] = [
  ['404', (to) => void to.writeHead(404).end(), /status 404: a hub of an older version/],
  [
    'an error in JSON',
    (to) => void to.writeHead(400).end('{"error":{"message":"version 7"}}'),
    /status 400: version 7/,
  ],
  ['an error in HTML', (to) => void to.writeHead(500).end('<p>'.repeat(9999)), /status 500$/],
  ['a redirect', (to) => void to.writeHead(302, { Location: '/' }).end(), /status 302/],
  ['a page', (to) => void to.writeHead(200).end('<html>'), /that is no hub/],
  ['an end at once', (to) => answer(to, Buffer.alloc(0)).end(), /ended the connection/],
  ['a reset', (to) => void to.socket?.destroy(), /no connection/],
  ['no HTTP', (to) => void to.socket?.end('SSH-2.0\r\n\r\n'), /no HTTP/],
  ['seconds without a greeting', (to) => answer(to, stream(SERIES, END)), /no greeting/],
  ['a greeting of nonsense', (to) => answer(to, raw(1, Buffer.from('[]'))), /no greeting/],
  [
    'another version',
    (to) => answer(to, raw(1, Buffer.from('{"version":2}'))),
    /speaks version 2 of the protocol, this hub 1: update the older/,
  ],
  [
    'a message of 4 GiB',
    (to) => greet(to, Buffer.concat([Buffer.alloc(5, 0xff)])),
    /larger than any hub sends/,
  ],
  ['unknown types', (to) => greet(to, Buffer.concat([raw(99, END_BYTES)])), undefined],
  ['cells of no series', (to) => greet(to, stream(counters(7), END)), undefined],
  ['cells that fall', (to) => greet(to, Buffer.concat([stream(SERIES), bad(4)])), undefined],
  ['histograms of noise', (to) => greet(to, Buffer.concat([bad(6)])), undefined],
  ['a series of its own name', (to) => greet(to, stream(own(), END)), undefined],
  [
    'the same series twice in a second',
    (to) => greet(to, stream(SERIES, counters(0), counters(0), END)),
    undefined,
  ],
  [
    'a year that is far away',
    (to) => greet(to, stream(SERIES, { ...END, endMs: 2e12 })),
    undefined,
  ],
  [
    'more names than there is memory for',
    (to) => greet(to, Buffer.concat([...manySeries(3000)])),
    undefined,
  ],
  [
    'a second without an end',
    (to) => greet(to, Buffer.concat([stream(SERIES), ...manyCells(400)])),
    /a second of more than \d+ bytes/,
  ],
]

const END_BYTES = Buffer.alloc(28)

function counters(value: number) {
  return { type: 'counters', refs: [1], cells: [value] }
}

function bad(type: number): Buffer {
  return raw(type, Buffer.from('ffffffff'.repeat(8), 'hex'))
}

function own() {
  const [series] = SERIES.series
  const identity = { ...series!.identity, name: 'pentameter.series' }
  return { type: 'series', series: [{ ...series, identity }] }
}

function* manySeries(size: number): Iterable<Buffer> {
  for (let ref = 0; ref < size; ref++) {
    const identity = { name: `${ref}`.padStart(200, 'n'), kind: 'counter', labels: [] }
    yield stream({ type: 'series', series: [{ ...SERIES.series[0], ref, identity }] })
  }
}

function* manyCells(size: number): Iterable<Buffer> {
  const refs = new Array(1000).fill(1)
  const message = stream({ type: 'counters', refs, cells: refs })
  for (let i = 0; i < size; i++) yield message
}

async function listening(onRequest: Answer): Promise<number> {
  const server = createServer((_incoming, outgoing) => {
    outgoing.on('error', () => {})
    onRequest(outgoing)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A hub that is attached to a good one, and to something else at each of these ports. */
async function beside(ports: readonly number[]) {
  const clock = new FakeClock()
  const b = await servedHub({}, clock)
  const attach = [addressOf(b), ...ports.map((port) => `pentameter://127.0.0.1:${port}`)]
  const a = await servedHub({ attach, attachedBytesLimit: 1_000_000 }, clock)
  await attached(a, b)
  return { clock, a, b }
}

suite('what answers in place of a hub', () => {
  test('costs itself alone, with a reason', async () => {
    const ports = await Promise.all(ANSWERS.map(([, onRequest]) => listening(onRequest)))
    const { clock, a, b } = await beside(ports)
    for (const [i, [name, , message]] of ANSWERS.entries()) {
      const state = () => stateOf(a, { port: ports[i]! })
      const isSaid = () => message?.test(state().message ?? '') ?? state().state === 'connected'
      await until(isSaid).catch(() => assert.fail(`${name}: ${JSON.stringify(state())}`))
    }
    for (let i = 0; i < 3; i++) {
      count(b, 'requests', 5)
      await second(clock, b)
    }
    await until(() => sumOf(a) === 15)
    const { errors, refusals } = a.hub.sources()
    const codes = errors.filter(({ dialect }) => dialect === 'federation').map(({ code }) => code)
    assert.deepEqual(codes.sort(), ['bad_cells', 'bad_hello', 'bad_type', 'too_large'])
    const reasons = refusals.filter(({ dialect }) => dialect === 'federation')
    assert.deepEqual(reasons.map(({ code }) => code).sort(), ['duplicate', 'reserved_name'])
  })

  test('a hub that is silent is given up after 10 s, before its greeting and after', async () => {
    for (const isGreeting of [false, true]) {
      let tries = 0
      const port = await listening((to) => {
        tries++
        if (isGreeting) greet(to, stream())
      })
      const { clock, a, b } = await beside([port])
      const isThere = () => stateOf(a, { port }).state === 'connected'
      await until(() => (isGreeting ? isThere() : tries > 0))
      for (let i = 0; i < 11; i++) {
        count(b, 'requests', 1)
        await second(clock, b)
      }
      await until(() =>
        /no answer within 10 s|no second told for 10 s/.test(stateOf(a, { port }).message ?? ''),
      )
      await until(() => sumOf(a) === 11)
    }
  })
})

function sumOf(hub: Parameters<typeof totalOf>[0]): unknown {
  const isThere = [...hub.hub.series].some(({ identity }) => identity.name === 'requests')
  const total = isThere ? totalOf(hub, 'requests') : undefined
  return total?.kind === 'counter' ? total.total : undefined
}
