/**
 * A real Prometheus scrapes a hub, native histograms among it, and writes what it has to a second
 * hub: every series is there, with kinds and words, and grows as the first one does.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type HubSeries, type RunningHub, startHub } from '../../src/start-hub.ts'
import { packet, sendTcp } from '../support/hub/hub.ts'
import { Prometheus, whyNoPrometheus } from '../support/outputs/prometheus.ts'
import { FREE_PORTS } from '../support/ports.ts'

const PATIENCE_MS = 40_000
/** What the hub is told each second, and what that adds. */
const LINES = ['shop.requests:41|m', 'shop.basket:3|h', 'shop.basket:100|h', 'balance:-5|h']
const FIRST = ['queue.depth:-7|g', 'wide:9007199254740992|g']
const ROUNDS = 3

test('prometheus writes what it scraped of one hub to another, to the unit', {
  skip: whyNoPrometheus ?? false,
  timeout: 120_000,
}, async (t) => {
  const config = { ...FREE_PORTS, prometheus: { nativeHistograms: true } }
  const source = await startHub({ config })
  t.after(() => source.close())
  const target = await startHub({ config: FREE_PORTS })
  t.after(() => target.close())
  const text = { textPort: source.addresses.text!.port }
  await sendTcp(text, [packet(`${[...FIRST, ...LINES].join('\n')}\n`)])
  const remoteWrite = `http://127.0.0.1:${target.addresses.http!.port}/api/v1/write`
  const prometheus = await Prometheus.start([{ job: 'hub', port: source.addresses.http!.port }], {
    flags: ['--enable-feature=native-histograms'],
    remoteWrite,
  })
  t.after(() => prometheus.stop())

  await prometheus.queryUntil('up == 1', (results) => results.length === 1)
  await atLeast(() => readingOf(target, 'wide') === 9007199254740992)
  await atLeast(() => readingOf(target, 'shop_requests_total') === 0)
  await atLeast(() => countOf(target, 'shop_basket_hist') === 0n)
  assert.equal(readingOf(target, 'queue_depth'), -7)
  assert.equal(readingOf(target, 'up'), 1)
  for (let i = 0; i < ROUNDS; i++) await sendTcp(text, [packet(`${LINES.join('\n')}\n`)])
  await atLeast(() => readingOf(target, 'shop_requests_total') === ROUNDS * 41)
  await atLeast(() => countOf(target, 'shop_basket_hist') === BigInt(ROUNDS * 2))
  await atLeast(() => countOf(target, 'balance_hist') === BigInt(ROUNDS))
  const basket = histogramOf(target, 'shop_basket_hist')!
  assert.equal(basket.sum, ROUNDS * 103)
  assert.equal(basket.positive.total(), BigInt(ROUNDS * 2))
  assert.equal(histogramOf(target, 'balance_hist')!.negative.total(), BigInt(ROUNDS))
  const { metadata, identity } = seriesOf(target, 'shop_requests_total')!
  assert.equal(identity.kind, 'counter')
  assert.equal(Object.fromEntries(identity.labels).job, 'hub')
  assert.equal(metadata.type, 'counter')
  const { connections, errors } = target.sources()
  assert.deepEqual(errors, [])
  const sender = connections.find(({ dialect }) => dialect === 'remotewrite')
  assert.match(String(sender?.facts.agent), /^Prometheus/)
  assert.equal(sender?.facts.rejected, 0)
  assert.doesNotMatch(prometheus.warnings, /remote.*(error|failed|non-recoverable)/i)
})

/** Waits for what a scrape and a write bring, each a second apart. */
async function atLeast(isTrue: () => boolean): Promise<void> {
  for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs; await setTimeout(100)) {
    if (isTrue()) return
  }
  assert.fail(`still not true after ${PATIENCE_MS} ms: ${isTrue}`)
}

function seriesOf(hub: RunningHub, name: string, kind?: string): HubSeries | undefined {
  return [...hub.series()].find(({ identity, metadata }) => {
    const isKind = kind === undefined || identity.kind === kind
    return identity.name === name && isKind && metadata.dialect === 'remotewrite'
  })
}

function readingOf(hub: RunningHub, name: string): unknown {
  const total = seriesOf(hub, name)?.total
  if (total?.kind === 'counter') return total.total
  return total?.kind === 'gauge' ? total.value : undefined
}

function histogramOf(hub: RunningHub, name: string) {
  const total = seriesOf(hub, name, 'histogram')?.total
  return total?.kind === 'histogram' ? total.histogram : undefined
}

function countOf(hub: RunningHub, name: string): bigint | undefined {
  return histogramOf(hub, name)?.count
}
