/**
 * Hubs that are killed under load while they are scraped, and while they push totals: whoever was
 * told a total is never told a lower one by the next start, which he would take for a reset.
 */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { TestReceiver } from '../../src/dialects/remotewrite/test/receiver.ts'
import { packet } from '../support/hub/hub.ts'
import { type HubProcess, startHubProcess } from '../support/hub/hub-process.ts'
import { type Collector, startCollector } from '../support/outputs/otlp-collector.ts'
import { freePort } from '../support/outputs/prometheus.ts'
import { load } from '../support/property.ts'

const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
/** Times of kills, a share of a second each: over some of them they lie anywhere in it. */
const KILL_STEP_MS = 137
const PATIENCE_S = '8'

/** Totals by what names them, the highest that was told. */
type Told = Map<string, number>

/** Sends lines until it is ended, as fast as the hub's port takes them. */
function sendTo({ listeners: { text } }: HubProcess): () => void {
  const socket = createSocket('udp4')
  const lines = Array.from({ length: 40 }, (_, i) => `hits.${i}:1|m\nms.${i % 5}:${i}|h\n`).join('')
  const bytes = packet(lines)
  const timer = setInterval(() => socket.send(bytes, text.port, text.host), 2)
  return () => {
    clearInterval(timer)
    socket.close()
  }
}

/**
 * Pushes sums and distributions of fractions for a while, and not until the end: the last total of
 * each is told before the kill.
 */
async function pushTo({ listeners: { http } }: HubProcess, forMs: number): Promise<void> {
  for (const endMs = Date.now() + forMs; Date.now() < endMs; await setTimeout(15)) {
    const nowNs = `${Date.now()}000000`
    const times = { startTimeUnixNano: `${Date.now() - 10}000000`, timeUnixNano: nowNs }
    const of = (name: string, kind: string, more: object, point: object) => {
      const dataPoints = [{ ...times, ...point }]
      return { name, [kind]: { aggregationTemporality: 1, ...more, dataPoints } }
    }
    const metrics = Array.from({ length: 10 }, (_, i) => {
      const counts = { count: '3', bucketCounts: ['1', '2'], explicitBounds: [1] }
      return [
        of(`hits.part.${i}`, 'sum', { isMonotonic: true }, { asDouble: Math.random() }),
        of(`ms.part.${i}`, 'histogram', {}, { ...counts, sum: 10 * Math.random() }),
      ]
    })
    const body = JSON.stringify({
      resourceMetrics: [{ scopeMetrics: [{ metrics: metrics.flat() }] }],
    })
    const headers = { 'Content-Type': 'application/json' }
    await fetch(`http://${http.host}:${http.port}/v1/metrics`, { method: 'POST', headers, body })
  }
}

/** Reads counters and distributions of an answer; those of the hub itself begin anew. */
function totalsOf(text: string): Map<string, number> {
  const totals = new Map<string, number>()
  for (const [, name, value] of text.matchAll(/^((?:hits|ms)_\S+) (\S+)/gm)) {
    if (!/_created/.test(name!)) totals.set(name!, Number(value))
  }
  return totals
}

async function scrape({ listeners: { http } }: HubProcess): Promise<Map<string, number>> {
  const headers = { 'X-Prometheus-Scrape-Timeout-Seconds': PATIENCE_S }
  const answer = await fetch(`http://${http.host}:${http.port}/metrics`, { headers })
  return totalsOf(await answer.text())
}

/** Scrapes again and again until the hub is gone; what was cut off counts for nothing. */
async function scrapeUntilGone(hub: HubProcess, told: Told): Promise<number> {
  for (let count = 0; ; count++) {
    const totals = await scrape(hub).catch(() => undefined)
    if (totals === undefined) return count
    for (const [name, value] of totals) raise(told, name, value)
    await setTimeout((count * 41) % 90)
  }
}

function raise(told: Told, name: string, value: number): void {
  told.set(name, Math.max(value, told.get(name) ?? 0))
}

test('no total that a scraper was told is lower after a kill', async (t) => {
  const folder = mkdtempSync(join(ROOT, 'pentameter-totals-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const told: Told = new Map()
  let scrapes = 0
  for (let kill = 0; kill < load(40); kill++) {
    const hub = await startHubProcess('serve', '--history', folder)
    t.after(() => hub.signal('SIGKILL'))
    const first = await scrape(hub)
    for (const [name, value] of told) {
      assert.ok((first.get(name) ?? 0) >= value, `${name}: ${value}, then ${first.get(name)}`)
    }
    const end = sendTo(hub)
    const pushed = pushTo(hub, 900)
    const scraping = [scrapeUntilGone(hub, told), scrapeUntilGone(hub, told)]
    await setTimeout(2000 + ((kill * KILL_STEP_MS) % 1000))
    await pushed
    hub.signal('SIGKILL')
    await hub.ended
    end()
    for (const count of await Promise.all(scraping)) scrapes += count
  }
  assert.ok(scrapes >= load(40), `${scrapes} scrapes`)
  for (const name of ['hits_0_total{shp_type="m"}', 'hits_part_0_total', 'ms_part_0_sum']) {
    assert.ok(told.get(name)! > 0, [...told.keys()].join(' '))
  }
})

test('no total that was pushed is lower after a kill', async (t) => {
  const folder = mkdtempSync(join(ROOT, 'pentameter-totals-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const collector = await startCollector(t)
  const port = await freePort()
  const receiver = await TestReceiver.start(port)
  t.after(() => receiver.close())
  const config = join(folder, 'hub.json')
  writeFileSync(config, JSON.stringify({ otlp: { url: collector.url, intervalMs: 1000 } }))
  for (let kill = 0; kill < load(20); kill++) {
    const relay = `remotewrite+http://127.0.0.1:${port}/api/v1/write`
    const flags = ['--history', join(folder, 'history'), '--config', config, '--relay', relay]
    const hub = await startHubProcess('serve', ...flags)
    t.after(() => hub.signal('SIGKILL'))
    const end = sendTo(hub)
    await setTimeout(2500 + ((kill * KILL_STEP_MS) % 1000))
    hub.signal('SIGKILL')
    await hub.ended
    end()
  }
  let written = 0
  for (const [name, samples] of receiver.series) {
    if (!/^(hits|ms)_/.test(name)) continue
    // a mark of a series that has ended is no number
    const values = samples.map(({ value }) => value).filter((value) => !Number.isNaN(value))
    neverFalls(name, values)
    written += values.length
  }
  assert.ok(written > 0)
  const exported = exportedTotals(collector)
  for (const [name, values] of exported) neverFalls(name, values)
  assert.ok(exported.size > 0)
})

function neverFalls(name: string, values: readonly number[]): void {
  values.forEach((value, i) => {
    const before = values[i - 1] ?? 0
    assert.ok(value >= before, `${name}: ${before}, then ${value}`)
  })
}

/** Lists the totals of each sum and the counts of each distribution, in the order of requests. */
function exportedTotals({ taken }: Collector): Map<string, number[]> {
  const totals = new Map<string, number[]>()
  for (const { name, points } of taken.flatMap(({ metrics }) => [...metrics.values()])) {
    if (!/^(hits|ms)/.test(name)) continue
    for (const { asInt, asDouble, count } of points) {
      totals.set(name, [...(totals.get(name) ?? []), Number(asInt ?? asDouble ?? count)])
    }
  }
  return totals
}
