/** Names of metrics in both namings. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { type NamedCounter, prometheusName } from './test/prometheus-name.ts'

const CPU: NamedCounter = { provider: 'App', name: 'x', units: '', kind: 'mean' }

function standard(fields: Partial<NamedCounter>): string {
  const { name, factor } = prometheusName({ ...CPU, ...fields }, 'standard')
  return `${name} ${factor}`
}

function monitor(fields: Partial<NamedCounter>): string {
  const { name, factor, type } = prometheusName({ ...CPU, ...fields }, 'dotnet-monitor')
  assert.equal(type, 'gauge')
  return `${name} ${factor}`
}

test('standard: units in any case become base units with their factors', () => {
  const units: Readonly<Record<string, string>> = {
    '': 'app_x 1',
    Count: 'app_x 1',
    b: 'app_x_bytes 1',
    kB: 'app_x_bytes 1000',
    GB: 'app_x_bytes 1000000000',
    '%': 'app_x_ratio 0.01',
    S: 'app_x_seconds 1',
    us: 'app_x_seconds 0.000001',
    NS: 'app_x_seconds 1e-9',
    'Requests/Item': 'app_x_requests_item 1',
    constructor: 'app_x_constructor 1',
  }
  for (const [unit, text] of Object.entries(units)) assert.equal(standard({ units: unit }), text)
})

test('standard: a suffix that is there already is not put there again', () => {
  assert.equal(standard({ name: 'sent-bytes', units: 'B' }), 'app_sent_bytes 1')
  assert.equal(standard({ name: 'sent-total', kind: 'sum' }), 'app_sent_total 1')
  assert.equal(
    standard({ name: 'sentbytes', units: 'B', kind: 'sum' }),
    'app_sentbytes_bytes_total 1',
  )
})

test('standard: runs of other characters are one underscore, and a digit gets one in front', () => {
  assert.equal(standard({ provider: '1App', name: 'Größe  (max)' }), '_1app_gr_e_max_ 1')
})

test('dotnet-monitor: a provider loses invalid characters, a counter has them replaced', () => {
  assert.equal(
    monitor({ provider: 'My-App.Ü', name: 'Größe-1', units: 'Req/s' }),
    'myapp_Gr__e_1_Req_s 1',
  )
  assert.equal(monitor({ provider: '..', name: '5xx' }), '___xx 1')
  assert.equal(monitor({ provider: '7zip', name: 'a' }), 'zip_a 1')
})

test('dotnet-monitor: MB are multiplied, percent is not divided', () => {
  assert.equal(monitor({ units: 'mb' }), 'app_x_bytes 1000000')
  assert.equal(monitor({ units: '%' }), 'app_x_ratio 1')
  assert.equal(monitor({ units: 'KB' }), 'app_x_KB 1')
  assert.equal(monitor({ units: 'COUNT', kind: 'sum' }), 'app_x 1')
})

test('standard names are those that Prometheus takes', () => {
  const text = fc.string({ unit: 'binary', maxLength: 12 })
  const counter = fc.record({
    provider: text,
    name: text,
    units: text,
    kind: fc.constantFrom('mean' as const, 'sum' as const),
  })
  holds(
    fc.property(counter, (each) => {
      const { name, factor, type } = prometheusName(each, 'standard')
      assert.match(name, /^[a-z_][a-z0-9_]*$/)
      assert.ok(factor > 0)
      assert.equal(name.endsWith('_total') && type === 'counter', each.kind === 'sum')
    }),
    1000,
  )
})
