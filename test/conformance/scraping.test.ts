/**
 * A hub scrapes Debian's node exporter and another hub, in every format: what they expose is read
 * back equal, gauges as they are and totals by what they gained.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { suite, type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { decodeScraping, type ReadSample } from '../../src/dialects/scraping/index.ts'
import { type HubOptions, type HubSeries, type RunningHub, startHub } from '../../src/start-hub.ts'
import { packet, sendTcp } from '../support/hub/hub.ts'
import { freePort } from '../support/outputs/prometheus.ts'
import { FREE_PORTS } from '../support/ports.ts'

const EXPORTER = process.env.NODE_EXPORTER ?? '/usr/bin/prometheus-node-exporter'
const whyNoExporter = existsSync(EXPORTER)
  ? undefined
  : `${EXPORTER} is not there: install Debian's prometheus-node-exporter, or set NODE_EXPORTER`
const PATIENCE_MS = 40_000
const ROUNDS = 3
/** What the other hub is told each second, and once. */
const LINES = ['shop.requests:41|m', 'shop.basket:3|h', 'shop.basket:100|h', 'balance:-5|h']
const FIRST = ['queue.depth:-7|g', 'wide:9007199254740992|g']

async function hubOf(t: TestContext, options: HubOptions = {}): Promise<RunningHub> {
  const hub = await startHub({ config: { ...FREE_PORTS, ...options } })
  t.after(() => hub.close())
  return hub
}

function scraped(hub: RunningHub): HubSeries[] {
  return [...hub.series()].filter(({ metadata }) => metadata.dialect === 'scraping')
}

async function atLeast(isTrue: () => boolean, what: () => unknown = () => isTrue): Promise<void> {
  for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs; await setTimeout(100)) {
    if (isTrue()) return
  }
  assert.fail(`still not true after ${PATIENCE_MS} ms: ${String(what())}`)
}

function named(hub: RunningHub, name: string, kind?: string): HubSeries | undefined {
  return scraped(hub).find(({ identity }) => {
    return identity.name === name && (kind === undefined || identity.kind === kind)
  })
}

function readingOf(series: HubSeries | undefined): unknown {
  const total = series?.total
  if (total?.kind === 'counter') return total.total
  return total?.kind === 'gauge' ? total.value : undefined
}

/** Name and labels of a sample as one text. */
function keyOf(name: string, labels: Iterable<readonly [string, string]>): string {
  const own = [...labels].filter(([key]) => key !== 'job' && key !== 'instance')
  return `${name} ${JSON.stringify(own.sort(([a], [b]) => (a < b ? -1 : 1)))}`
}

test('a node exporter is read back equal, sample by sample', {
  skip: whyNoExporter ?? false,
  timeout: 120_000,
}, async (t) => {
  const port = await freePort()
  const flags = [`--web.listen-address=127.0.0.1:${port}`]
  const exporter = spawn(EXPORTER, flags, { stdio: 'ignore' })
  t.after(async () => {
    exporter.kill('SIGKILL')
    if (exporter.exitCode === null && exporter.signalCode === null) await once(exporter, 'exit')
  })
  const attach = [`prometheus+http://127.0.0.1:${port}?interval=1s&job=node`]
  const hub = await hubOf(t, { attach })
  await atLeast(() => readingOf(named(hub, 'up')) === 1)
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
  const { messages, errors } = decodeScraping(new Uint8Array(await answer.arrayBuffer()))
  assert.deepEqual(errors, [])
  const held = heldOf(hub)
  const wanted = messages.filter(({ type }) => type !== 'summary')
  const count = wanted.reduce((sum, { samples }) => sum + samples.length, 0)
  assert.ok(count > 200, `${count} samples`)
  for (const { type, samples } of wanted) {
    for (const { name, labels } of samples) {
      const series = held.get(keyOf(name, Object.entries(labels)))
      assert.ok(series !== undefined, `${name} ${JSON.stringify(labels)}`)
      assert.equal(series.identity.kind, type === 'counter' ? 'counter' : 'gauge', name)
    }
  }
  // what does not change by itself (memory and load do) is the same, as soon as a scrape went well
  const gauges = wanted.flatMap(({ type, samples }) => (type === 'gauge' ? samples : []))
  await atLeast(() => equalOf(hub, gauges) > gauges.length / 2)
  const { description } = named(hub, 'node_load1')!.metadata
  assert.equal(description, '1m load average.')
  assert.deepEqual(hub.sources().errors, [])
  exporter.kill('SIGKILL')
  await atLeast(() => readingOf(named(hub, 'up')) === 0)
  assert.ok(Number.isNaN(readingOf(named(hub, 'node_load1'))))
})

/** Series by the text of their names and labels. */
function heldOf(hub: RunningHub): ReadonlyMap<string, HubSeries> {
  const all = scraped(hub)
  return new Map(all.map((each) => [keyOf(each.identity.name, each.identity.labels), each]))
}

/** Counts the samples whose series have their values. */
function equalOf(hub: RunningHub, samples: readonly ReadSample[]): number {
  const held = heldOf(hub)
  return samples.filter(({ name, labels, value }) => {
    return Number(readingOf(held.get(keyOf(name, Object.entries(labels))))) === Number(value)
  }).length
}

suite('what a hub exposes is read back equal', () => {
  for (const [format, source, target] of [
    ['OpenMetrics', {}, { scraping: { nativeHistograms: false } }],
    ['protobuf', {}, {}],
    ['protobuf with native histograms', { prometheus: { nativeHistograms: true } }, {}],
    [
      'names in quotes',
      { prometheus: { names: 'utf8' } },
      { scraping: { nativeHistograms: false } },
    ],
  ] as const) {
    test(format, { timeout: 120_000 }, async (t) => {
      const told = await hubOf(t, source)
      const text = { textPort: told.addresses.text!.port }
      await sendTcp(text, [packet(`${[...FIRST, ...LINES].join('\n')}\n`)])
      const { port } = told.addresses.http!
      const attach = [`prometheus+http://127.0.0.1:${port}?interval=300ms&job=hub`]
      const hub = await hubOf(t, { ...target, attach })
      const isDouble = format.startsWith('protobuf')
      const isQuoted = format === 'names in quotes'
      const name = (plain: string) => (isQuoted ? plain.replace(/^(shop|queue)_/, '$1.') : plain)
      const kindOf = (each: string) => named(hub, name(each), 'histogram')?.total
      const histogram = (each: string) => {
        const total = kindOf(each)
        return total?.kind === 'histogram' ? total.histogram : undefined
      }
      const names = () => scraped(hub).map(({ identity }) => `${identity.kind} ${identity.name}`)
      const baskets = () => histogram('shop_basket_hist') ?? histogram('shop_basket')
      const balances = () => histogram('balance_hist') ?? histogram('balance')
      await atLeast(() => readingOf(named(hub, name('shop_requests_total'))) === 0, names)
      await atLeast(() => baskets() !== undefined && balances() !== undefined, names)
      assert.equal(readingOf(named(hub, name('queue_depth'))), -7)
      assert.equal(readingOf(named(hub, 'wide')), isDouble ? 2 ** 53 : 2n ** 53n)
      for (let i = 0; i < ROUNDS; i++) await sendTcp(text, [packet(`${LINES.join('\n')}\n`)])
      await atLeast(() => {
        return readingOf(named(hub, name('shop_requests_total'))) === ROUNDS * 41
      }, names)
      await atLeast(() => baskets()?.count === BigInt(2 * ROUNDS))
      await atLeast(() => balances()?.count === BigInt(ROUNDS))
      assert.equal(baskets()!.sum, ROUNDS * 103)
      const isNative = format === 'protobuf with native histograms'
      assert.equal(baskets()!.bounds === undefined, isNative)
      const { identity, metadata } = named(hub, name('shop_requests_total'))!
      assert.equal(identity.kind, 'counter')
      assert.deepEqual(Object.fromEntries(identity.labels).job, 'hub')
      assert.equal(metadata.type, 'counter')
      assert.deepEqual(hub.sources().errors, [])
    })
  }
})
