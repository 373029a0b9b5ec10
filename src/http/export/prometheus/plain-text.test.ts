/** The quick way of plain series writes what the general one writes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeHubView } from '../../../../test/support/hub/fake-hub-view.ts'
import { holds } from '../../../../test/support/property.ts'
import type { TextFormat } from '../../../exposition/negotiation.ts'
import { Exposition, type PrometheusOptions } from './exposition.ts'
import { familyText } from './family-text.ts'
import { type LayoutOptions, plainFamily } from './layout/families.ts'

const name = fc.oneof(
  fc.stringMatching(/^[ -~]{1,12}$/),
  fc.constantFrom(
    'a.b-c',
    '1a',
    'a_total',
    'a',
    '_',
    'x'.repeat(300),
    'é',
    '"',
    '\\',
    '\n',
    '\x7f',
  ),
)
const totals = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.maxSafeNat(),
  fc.constantFrom(0, 9, 10, 999_999_999, 1_000_000_000, 2n ** 53n, 2n ** 53n - 1n, 2n ** 32n),
)
const values = fc.oneof(
  totals,
  fc.double(),
  fc.constantFrom(-0, -1, -1_000_000_000, -(2n ** 60n), 1e21, Number.POSITIVE_INFINITY),
)
const series = fc.record({
  name,
  kind: fc.constantFrom('counter', 'gauge', 'histogram'),
  qualifier: fc.option(
    fc.tuple(fc.constantFrom('shp.type', 'le', 'k'), fc.constantFrom('m', 'mr', '', '"é\\\n')),
    { nil: undefined },
  ),
  exportSuffix: fc.option(fc.constantFrom('hist', 'b', 'a b', 'total'), { nil: undefined }),
  dialect: fc.constantFrom('statshero', 'hub'),
  displayName: fc.option(fc.constantFrom('Shown', ''), { nil: undefined }),
  total: totals,
  value: values,
})

for (const format of ['text', 'openmetrics'] as TextFormat[]) {
  test(`any series alone is written the same way as in general: ${format}`, () => {
    const property = fc.property(series, fc.boolean(), fc.boolean(), (each, isUtf8, hasCreated) => {
      const hub = new FakeHubView()
      const { name, kind, qualifier, exportSuffix, dialect, displayName } = each
      const id = hub.add({
        ...{ name, kind: kind as 'counter' },
        ...(qualifier === undefined ? {} : { qualifier }),
        metadata: {
          dialect,
          ...(exportSuffix === undefined ? {} : { exportSuffix }),
          ...(displayName === undefined ? {} : { displayName }),
        },
      })
      if (kind === 'counter') hub.count(id, each.total)
      else if (kind === 'gauge') hub.set(id, each.value)
      else hub.observe(id, Number(each.total))
      const style = isUtf8 ? 'utf8' : 'legacy'
      const options: PrometheusOptions = { names: style, createdSamples: hasCreated }
      const general: LayoutOptions = {
        ...{ style, exportRates: false, observer: 'histogram', nativeHistograms: false },
        createdSamples: hasCreated,
        rulesOf: (of) => hub.exportRules(of),
      }
      const family = plainFamily(hub.series.get(id)!, general)
      const isOpenMetrics = format === 'openmetrics'
      const wanted = [...familyText(family, hub, isOpenMetrics)].join('')
      const exposition = new Exposition(hub, options, { count() {} })
      const pieces = [...exposition.pieces(format, style)].map((piece) => Buffer.from(piece ?? ''))
      assert.equal(Buffer.concat(pieces).toString(), wanted + (isOpenMetrics ? '# EOF\n' : ''))
    })
    holds(property, 500)
  })
}

test('decrements of 0 are not there, nor is a gauge without a value', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'n', kind: 'counter' })
  hub.countDown(id, 0)
  hub.add({ name: 'g', kind: 'gauge' })
  const text = (): string => {
    const pieces = [...new Exposition(hub, {}, { count() {} }).pieces('text')]
    return Buffer.concat(pieces.map((piece) => Buffer.from(piece ?? ''))).toString()
  }
  assert.deepEqual(text().match(/^[^#].*$/gm), ['n_total 0'])
  hub.countDown(id, 2)
  assert.deepEqual(text().match(/^[^#].*$/gm), ['n_total 0', 'n_decrement_total 2'])
})
