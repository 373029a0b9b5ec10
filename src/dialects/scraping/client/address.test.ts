/** Addresses of targets, with what jobs say of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultsOf } from '../../options.ts'
import { type JobConfig, OPTIONS } from '../options.ts'
import { jobAddresses, scrapeTarget, sharesSeries } from './address.ts'

const JOB: JobConfig = {
  ...{ name: 'node', targets: [], scheme: 'http', path: '/metrics', labels: {}, intervalMs: 0 },
  ...{ timeoutMs: 0, honorLabels: false, relabel: [], metricRelabel: [] },
}
const RULE = { sourceLabels: [], separator: ';', regex: '(.*)', targetLabel: '', replacement: '$1' }

function target(url: string, jobs: readonly JobConfig[] = []) {
  const made = scrapeTarget(of(url), { ...defaultsOf(OPTIONS), jobs })
  if (made === undefined) return undefined
  const { intervalMs, timeoutMs, labels } = made
  return { url: made.url.href, intervalMs, timeoutMs, labels: Object.fromEntries(labels) }
}

function of(url: string) {
  return { transport: 'tcp', host: 'h', port: 1, url } as const
}

test('an address says path, job, interval and timeout, and keeps the rest for the target', () => {
  const url = 'prometheus+https://h:9100/probe?module=a&interval=1m30s&job=node&timeout=500ms'
  assert.deepEqual(target(url), {
    ...{ url: 'https://h:9100/probe?module=a', intervalMs: 90_000, timeoutMs: 500 },
    labels: { job: 'node', instance: 'h:9100' },
  })
  assert.deepEqual(target('prometheus+http://[::1]'), {
    ...{ url: 'http://[::1]/metrics', intervalMs: 15_000, timeoutMs: 10_000 },
    labels: { job: 'attached', instance: '[::1]:80' },
  })
})

test('a scrape ends before the next is due', () => {
  assert.equal(target('prometheus+http://h?interval=2s')?.timeoutMs, 2000)
})

test('an address that makes no sense is refused with what is wanted', () => {
  const refused = (query: string, problem: RegExp) =>
    assert.throws(() => target(`prometheus+http://h?${query}`), problem)
  refused('interval=15', /interval "15", want a time as 15s/)
  refused('interval=1ms', /want a time/)
  refused('job=a&job=b', /job is there twice/)
  assert.throws(() => target('prometheus+http://u:p@h'), /user name or password/)
})

test('rules of a job see what Prometheus has for targets, and may drop them', () => {
  const relabel = [
    { ...RULE, sourceLabels: ['__address__'], regex: 'bad:.*', action: 'drop' },
    { ...RULE, sourceLabels: ['__param_target'], targetLabel: 'instance', action: 'replace' },
    { ...RULE, targetLabel: '__address__', replacement: 'proxy:9115', action: 'replace' },
    { ...RULE, targetLabel: '__scrape_interval__', replacement: '5s', action: 'replace' },
  ] as const
  const jobs = [{ ...JOB, relabel, labels: { env: 'x' }, targets: ['bad:1', 'ok:1/p?target=db'] }]
  const addresses = jobAddresses({ ...defaultsOf(OPTIONS), jobs })
  assert.deepEqual(addresses, ['prometheus+http://ok:1/p?target=db&job=node'])
  assert.deepEqual(target(addresses[0]!, jobs), {
    ...{ url: 'http://proxy:9115/p?target=db', intervalMs: 5000, timeoutMs: 5000 },
    labels: { env: 'x', job: 'node', instance: 'db' },
  })
  assert.equal(target('prometheus+http://bad:1?job=node', jobs), undefined)
})

test('targets of a job are addresses with or without scheme, port and path', () => {
  const targets = ['a:1', 'b', 'https://c/x', 'prometheus+http://d:2/']
  const jobs = [{ ...JOB, targets, scheme: 'https', path: '/p' } as const]
  assert.deepEqual(jobAddresses({ ...defaultsOf(OPTIONS), jobs }), [
    'prometheus+https://a:1/p?job=node',
    'prometheus+https://b/p?job=node',
    'prometheus+https://c/x?job=node',
    'prometheus+http://d:2/?job=node',
  ])
})

test('the same target of the same job is there once', () => {
  const shares = (a: string, b: string) => sharesSeries(of(a), of(b))
  assert.ok(shares('prometheus+http://h', 'prometheus+http://h:80/metrics?interval=1s'))
  assert.ok(!shares('prometheus+http://h', 'prometheus+http://h?job=b'))
  assert.ok(!shares('prometheus+http://h?m=a', 'prometheus+http://h?m=b'))
})
