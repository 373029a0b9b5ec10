import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { packet, seriesNamed, startHub, type TestHub } from '../../../test/support/hub/hub.ts'
import type { DialectServer } from '../../dialects/endpoints.ts'
import { dialect as statshero } from '../../dialects/statshero/dialect.ts'
import type { ZoneIngest } from './zone-ingest.ts'

interface Started extends TestHub {
  readonly ingest: ZoneIngest
  readonly server: DialectServer
  send(...lines: readonly string[]): void
  total(name: string): unknown
}

/** A hub whose server of lines has the ingest's keys at hand, or has not. */
async function withHub(hasKeys: boolean, run: (started: Started) => void): Promise<void> {
  const started = await startHub()
  const { hub, clock } = started
  try {
    const ingest = hub.createIngest('statshero') as ZoneIngest
    if (!hasKeys) Object.defineProperty(ingest, 'openKeys', { value: undefined })
    const server = statshero.createServer!({
      ingest,
      openSnapshot: () => ({ revision: 0, list: () => [], read() {} }),
      reports: hub.reports.for('statshero'),
      clock,
      options: {},
    })
    const peer = { transport: 'udp', address: '192.0.2.1', port: 9 } as const
    const send = (...lines: readonly string[]) =>
      server.datagram!(packet(lines.map((line) => `${line}\n`).join('')), peer)
    const total = (name: string) => hub.total(seriesNamed(hub, name)!)
    run({ ...started, ingest, server, send, total })
  } finally {
    await started.hub.stop()
  }
}

function refusedOf({ hub }: Started): unknown {
  return hub.total(seriesNamed(hub, 'pentameter.ingest.refused')!)
}

suite('lines that are gathered in shared memory', () => {
  for (const [how, hasKeys] of [
    ['gathered', true],
    ['taken one by one', false],
  ] as const) {
    test(`near its end a counter takes what fits, line by line: ${how}`, () =>
      withHub(hasKeys, (hub) => {
        hub.send('c:1|m')
        hub.send(`c:${2n ** 64n - 101n}|m`)
        hub.send('c:42|m', 'c:42|m', 'c:42|m', 'c:1|m')
        assert.deepEqual(hub.total('c'), { kind: 'counter', total: 2n ** 64n - 15n, decrements: 0 })
        assert.deepEqual(refusedOf(hub), { kind: 'counter', total: 1, decrements: 0 })
        assert.equal(hub.ingest.measurements, 6)
      }))

    test(`sums beyond 32 bits are exact: ${how}`, () =>
      withHub(hasKeys, (hub) => {
        hub.send('c:1|m')
        for (let i = 0; i < 3; i++) hub.send(...Array(40).fill('c:999999999|m'))
        hub.send('c:999999999999999|m')
        const total = 1 + 120 * 999_999_999 + 999_999_999_999_999
        assert.deepEqual(hub.total('c'), { kind: 'counter', total, decrements: 0 })
        assert.equal(hub.ingest.measurements, 122)
      }))

    test(`a series that left begins anew with the next line: ${how}`, () =>
      withHub(hasKeys, (hub) => {
        hub.send('c:5|m', 'd:1|m')
        hub.send('c:5|m', 'd:1|m')
        hub.ingest.retire(0)
        hub.send('c:7|m', 'd:1|m')
        hub.send('c:7|m', 'd:1|m')
        assert.deepEqual(hub.total('c'), { kind: 'counter', total: 14, decrements: 0 })
        assert.deepEqual(hub.total('d'), { kind: 'counter', total: 4, decrements: 0 })
        assert.equal(hub.ingest.measurements, 8)
      }))
  }
})
