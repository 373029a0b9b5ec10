import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { packet, startHub } from '../../../test/support/hub/hub.ts'
import { holds } from '../../../test/support/property.ts'
import type { Describe } from '../../dialects/ingest.ts'
import { dialect as statshero } from '../../dialects/statshero/dialect.ts'
import { describeSeries, identityKey } from '../../model/index.ts'
import { NamedKeys } from '../../model/named-keys.ts'
import type { ZoneIngest } from './zone-ingest.ts'

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/** Key of the identity that such a name has. */
function keyOf(name: Uint8Array, form: Parameters<typeof identityKey>[0]): Uint8Array {
  try {
    return identityKey({ ...form, name: strict.decode(name) })
  } catch {
    return identityKey({ ...form, name: lenient.decode(name), nameBytes: name })
  }
}

suite('series by their names alone', () => {
  test('have the keys of their identities, whatever bytes a name is', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((each) => Buffer.from(each))
    const name = fc.oneof(text, fc.uint8Array({ maxLength: 700 }))
    const gauges = new NamedKeys({ kind: 'gauge' })
    const counters = new NamedKeys({ kind: 'counter', qualifier: ['shp.type', 'mr'] })
    holds(
      fc.property(name, fc.nat(9), (bytes, before) => {
        const around = Buffer.concat([Buffer.alloc(before, 'x'), bytes, Buffer.from('y')])
        const range = [around, before, before + bytes.length] as const
        const form = { name: '', labels: [] }
        assert.deepEqual(
          Buffer.from(gauges.of(...range)),
          Buffer.from(keyOf(bytes, { ...form, kind: 'gauge' })),
        )
        assert.deepEqual(
          Buffer.from(counters.of(...range)),
          Buffer.from(keyOf(bytes, { ...form, kind: 'counter', qualifier: ['shp.type', 'mr'] })),
        )
      }),
    )
  })

  test('are taken and refused as described ones are', async () => {
    const lines = [
      ...['a:1|m', 'a:2|mr', 'a:3|g', 'a:4|h', 'pentameter.x:1|m', 'pentameter.x:1|g', 'a:-1|m'],
      ...[`${'n'.repeat(50)}:1|m`, `${'n'.repeat(51)}:1|m`, '\xff\xfe:1|m', 'caf\xc3\xa9:1|m'],
      ...['b:1|m', 'c:1|m', 'a.time:1|h', 'caf\xc3\xa9.time:1|h', 'd:1|h', 'd:7|g', 'd:7|mr'],
    ]
    const outcomes: unknown[] = []
    for (const hasForms of [true, false]) {
      const options = { nameBytesLimit: 50, seriesLimitPerSource: 12 }
      const { hub, clock } = await startHub(options)
      const ingest = hub.createIngest('statshero') as ZoneIngest
      const slot = ingest.slot.bind(ingest)
      const undescribed = new WeakMap<Describe, Describe>()
      ingest.slot = (bytes, start, end, type, hash, describe) => {
        let used = describe
        if (!hasForms) {
          used = undescribed.get(describe) ?? ((key, of) => describe(key, of))
          undescribed.set(describe, used)
        }
        return slot(bytes, start, end, type, hash, used)
      }
      const server = statshero.createServer!({
        ingest,
        openSnapshot: () => ({ revision: 0, list: () => [], read() {} }),
        reports: hub.reports.for('statshero'),
        clock,
        options: {},
      })
      for (let i = 0; i < 3; i++) {
        const body = Buffer.from(`${lines.join('\n')}\n`, 'latin1')
        const whole = Buffer.concat([Buffer.from(`1|${body.length}\n`), body])
        server.datagram!(whole, { transport: 'udp', address: '192.0.2.1', port: 9 })
      }
      server.datagram!(packet('a:1|m\n'), { transport: 'udp', address: '192.0.2.9', port: 9 })
      const { reports } = hub
      outcomes.push([
        [...hub.series].map((record) => [
          describeSeries(record.identity),
          ...[record.identity, record.metadata, record.source],
          record.kind === 'histogram' ? undefined : hub.total(record),
        ]),
        reports.refusals(),
        ['reserved_name', 'name_too_long', 'series_limit_per_source'].map((code) =>
          reports.refusedKeys(code),
        ),
      ])
      await hub.stop()
    }
    assert.deepEqual(outcomes[0], outcomes[1])
    assert.ok(JSON.stringify(outcomes[0]).includes('reserved_name'))
    assert.ok(JSON.stringify(outcomes[0]).includes('name_too_long'))
    assert.equal(JSON.stringify(outcomes[0]).split('"unit":"ms"').length - 1, 2)
  })
})
