import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseCsv } from '../../../../../test/support/csv.ts'
import { holds } from '../../../../../test/support/property.ts'
import { csvRow } from '../../../../model/text/unseen.ts'
import { type ReadWindow, readLine } from '../../codec/read.ts'
import { toldLine } from '../../test/counter-endpoint.ts'
import { documentForm, type Format } from './documents.ts'

const TIME = new Date('2026-01-02T03:04:05.006Z')
const OPTIONS = { target: '127.0.0.1:4000', start: TIME }

function documentOf(format: Format, windows: readonly ReadWindow[]): string {
  const form = documentForm(format, OPTIONS)
  const rows = windows.map((window, i) => form.row(window, TIME, i))
  return form.head + rows.join('') + form.end
}

function windowOf(told: Parameters<typeof toldLine>[0]): ReadWindow {
  const result = readLine(toldLine(told))
  assert.ok(result.kind === 'window')
  return result.window
}

const CPU = windowOf({ name: 'cpu-usage', displayName: 'CPU Usage', units: '%', mean: 12.5 })
const ORDERS = windowOf({
  ...{ name: 'orders', displayName: 'Orders, "all"', increment: 4 },
  tags: { country: 'DE', method: 'GET' },
})

test('CSV has the columns of dotnet-counters, quotes where it must, and ends lines with LF', () => {
  assert.equal(
    documentOf('csv', [CPU, ORDERS]),
    'Timestamp,Provider,Counter Name,Counter Type,Mean/Increment\n' +
      '2026-01-02T03:04:05.006Z,Shop,CPU Usage (%),Metric,12.5\n' +
      '2026-01-02T03:04:05.006Z,Shop,"Orders, ""all"" (Count / 1 sec)[country:DE;method:GET]",' +
      'Rate,4\n',
  )
})

test('JSON is one document with the members of dotnet-counters, without events too', () => {
  const empty = { TargetProcess: '127.0.0.1:4000', StartTime: TIME.toISOString(), Events: [] }
  assert.deepEqual(JSON.parse(documentOf('json', [])), empty)
  const { Events } = JSON.parse(documentOf('json', [CPU, ORDERS]))
  const common = {
    ...{ timestamp: TIME.toISOString(), provider: 'Shop', meterTags: '', instrumentTags: '' },
  }
  assert.deepEqual(Events, [
    { ...common, name: 'CPU Usage (%)', tags: '', counterType: 'Metric', value: 12.5 },
    {
      ...{ ...common, name: 'Orders, "all" (Count / 1 sec)', tags: 'country:DE,method:GET' },
      ...{ counterType: 'Rate', value: 4 },
    },
  ])
})

test('tags of a meter and of an instrument have members of their own in JSON', () => {
  const meterTags = [['region', 'eu']] as const
  const instrumentTags = [['team', 'a']] as const
  const metaData = [...meterTags, ...instrumentTags, ['country', 'DE']] as const
  const counter = { ...ORDERS.counter, hasTags: true, metaData, meterTags, instrumentTags }
  const [event] = JSON.parse(documentOf('json', [{ ...ORDERS, counter }])).Events
  assert.deepEqual(
    [event.tags, event.meterTags, event.instrumentTags],
    ['country=DE', 'region=eu', 'team=a'],
  )
  const row = documentOf('csv', [{ ...ORDERS, counter }])
  assert.match(row, /\[region=eu;team=a;country=DE\]/)
})

test('tags of an instrument are written with =, metadata of a counter with :', () => {
  const tagged = { ...ORDERS, counter: { ...ORDERS.counter, hasTags: true } }
  assert.match(documentOf('csv', [tagged]), /\[country=DE;method=GET\]/)
  const [event] = JSON.parse(documentOf('json', [tagged])).Events
  assert.equal(event.tags, 'country=DE,method=GET')
})

test('a number that is none is null in JSON, and NaN in CSV', () => {
  const window = {
    ...CPU,
    statistics: { kind: 'mean', count: 0, mean: Number.NaN, deviation: 0, min: 0, max: 0 } as const,
  }
  assert.equal(JSON.parse(documentOf('json', [window])).Events[0].value, null)
  assert.equal(parseCsv(documentOf('csv', [window]))[1]![4], 'NaN')
})

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
const windows = fc
  .record({
    provider: words,
    name: words,
    displayName: words,
    value: fc.double({ noNaN: true }),
    tags: fc.array(fc.tuple(words, words), { maxLength: 3 }),
  })
  .map(({ provider, name, displayName, value, tags }): ReadWindow => {
    const counter = { ...CPU.counter, provider, name, displayName, metaData: tags }
    return { ...CPU, provider, counter, statistics: { kind: 'sum', increment: value } }
  })

/** A text as a cell has it: no formula, and nothing unseen but line ends. */
function shown(text: string): string {
  return parseCsv(csvRow([text]))[0]![0]!
}

test('whatever names and values come, standard parsers read them back', () => {
  holds(
    fc.property(fc.array(windows, { maxLength: 5 }), (all) => {
      const rows = parseCsv(documentOf('csv', all)).slice(1)
      const { Events } = JSON.parse(documentOf('json', all))
      assert.equal(Events.length, all.length)
      all.forEach(({ provider, counter, statistics }, i) => {
        const { increment } = statistics as { increment: number }
        const label = `${counter.displayName} (% / 1 sec)`
        const tags = counter.metaData.map(([key, value]) => `${key}:${value}`)
        const [, provider2, name, , value] = rows[i]!
        assert.deepEqual([provider2, Number(value)], [shown(provider), increment + 0])
        assert.equal(name, shown(tags.length === 0 ? label : `${label}[${tags.join(';')}]`))
        assert.equal(Events[i].name, label)
        assert.equal(Events[i].tags, tags.join(','))
        assert.equal(Events[i].value, Number.isFinite(increment) ? increment + 0 : null)
      })
    }),
  )
})
