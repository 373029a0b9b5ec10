/** A hub with a history: what it closed is told seamlessly, whoever held it last. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { metricsBytes } from '../../src/dialects/wallaroo/test/frames.ts'
import type { RangeAnswer } from '../../src/http/api.ts'
import { findPast } from '../../src/http/query/range/past.ts'
import { rangeJson } from '../../src/http/query/range/range.ts'
import { parseConfig } from '../../src/hub/config/config.ts'
import { openHistory } from '../../src/hub/history/open-history.ts'
import type { Hub } from '../../src/hub/hub.ts'
import { DIALECTS } from '../support/dialects.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { packet, sendUdp, seriesNamed, startHub, type TestHub, until } from '../support/hub/hub.ts'
import { RawPeer } from '../support/raw-peer.ts'

const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

function newFolder(): string {
  const path = mkdtempSync(join(ROOT, 'pentameter-hub-'))
  after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

async function withHistory(path: string): Promise<TestHub> {
  const started = await startHub()
  await openHistoryOf(started, path)
  return started
}

async function openHistoryOf({ hub, log }: TestHub, path: string, expireAfterS = 0): Promise<void> {
  const config = parseConfig({ history: { path }, expireAfterS }, DIALECTS)
  await openHistory(hub, config, [], (level, message, facts) => {
    log.push(`${level} ${message} ${JSON.stringify(facts)}`)
  })
}

async function range(hub: Hub, id: number, fromMs: number, toMs: number, stepMs: number) {
  const { window, past } = await findPast(hub, { ids: [id], fromMs, toMs, stepMs })
  const text = [...rangeJson(hub, [id], window, past)].join('')
  return { answer: JSON.parse(text) as RangeAnswer, past: past?.length ?? 0 }
}

/** Waits until the history has all seconds. */
async function settled({ hub, clock }: TestHub): Promise<void> {
  const endS = Math.floor(clock.wallMs() / 1000)
  const history = hub.history as unknown as { health(): Promise<{ durableS?: number }> }
  await until(async () => (await history.health()).durableS === endS)
}

/** Counter `a` grows by its second's number modulo 7, gauge `g` is the second's number. */
async function runFor(started: TestHub, seconds: number, from = 0): Promise<void> {
  for (let i = from; i < from + seconds; i++) {
    if (i % 10 === 3) await sendUdp(started, [packet(`a:${1 + (i % 7)}|m\ng:${i}|g\nh:${i}|h\n`)])
    started.clock.advance(1000)
    if (i % 20 === 0) await settled(started)
  }
  await settled(started)
}

test('a range reaches from the history into the live ring without a gap', async () => {
  const started = await withHistory(newFolder())
  const { hub, clock } = started
  const beginMs = Math.floor(clock.wallMs() / 1000) * 1000
  await runFor(started, 1500)
  const counter = seriesNamed(hub, 'a')
  const nowMs = clock.wallMs()
  for (const stepMs of [1000, 7000, 60_000]) {
    const { answer, past } = await range(hub, counter.id, beginMs, nowMs, stepMs)
    const [column] = answer.columns
    assert.ok(past > 0 && past < answer.length, 'both are asked')
    assert.equal(answer.stepMs, stepMs)
    const wanted = new Array<number>(answer.length).fill(0)
    for (let i = 3; i < 1500; i += 10) {
      const endMs = beginMs + (i + 1) * 1000
      wanted[Math.ceil((endMs - answer.fromMs) / stepMs) - 1]! += 1 + (i % 7)
    }
    assert.ok(column?.kind === 'counter')
    // frames of ten seconds are spread over their seconds by the ring: compared as they grow
    const told = column.delta.map(Number)
    assert.equal(sum(told), sum(wanted))
    assert.deepEqual(told.slice(0, past), wanted.slice(0, past))
  }
  const gauge = await range(hub, seriesNamed(hub, 'g').id, beginMs + 4000, nowMs, 1000)
  const [values] = gauge.answer.columns
  assert.ok(values?.kind === 'gauge')
  assert.ok(
    values.value.every((value) => value !== null),
    'a value counts until the next one',
  )
  const histogram = await range(hub, seriesNamed(hub, 'h').id, beginMs, nowMs, 60_000)
  const [cells] = histogram.answer.columns
  assert.ok(cells?.kind === 'histogram')
  assert.equal(sum(cells.cells.map((cell) => Number(cell?.count ?? 0))), 150)
  await hub.stop()
})

test('a second hub of a folder says who has it, and runs without a history', async () => {
  const path = newFolder()
  const first = await withHistory(path)
  const second = await withHistory(path)
  const { history } = second.hub.sources()
  assert.equal(history?.state, 'off')
  assert.match(history?.message ?? '', new RegExp(`in use by process ${process.pid} since 20`))
  assert.ok(second.log.some((line) => line.includes('runs without a history')))
  assert.equal(first.hub.sources().history?.state, 'running')
  const query = { filter: '', fromS: 0, toS: 2 ** 31, limit: 1 }
  await assert.rejects(second.hub.past!.find(query), { code: 'in_use' })
  await second.hub.stop()
  await first.hub.stop()
  const third = await withHistory(path)
  assert.equal(third.hub.sources().history?.state, 'running')
  await third.hub.stop()
})

/** Starts a hub on a history some seconds later than it was first started. */
async function later(path: string, afterS: number, expireAfterS = 0): Promise<TestHub> {
  const clock = new FakeClock(new FakeClock().startMs + afterS * 1000)
  const started = await startHub({}, { clock })
  await openHistoryOf(started, path, expireAfterS)
  return started
}

test('a restarted hub finds the past of series that have not come again', async () => {
  const path = newFolder()
  const first = await withHistory(path)
  await runFor(first, 30)
  const beginMs = first.clock.startMs
  await first.hub.stop()
  const second = await later(path, 60)
  const counter = seriesNamed(second.hub, 'a')
  assert.equal(second.hub.sources().history?.restored, 3)
  assert.equal(counter.lastDataMs, beginMs + 24_000)
  const { answer } = await range(second.hub, counter.id, beginMs, beginMs + 30_000, 1000)
  const [column] = answer.columns
  assert.ok(column?.kind === 'counter')
  assert.equal(sum(column.delta.map(Number)), 1 + (3 % 7) + (1 + (13 % 7)) + (1 + (23 % 7)))
  await second.hub.stop()
})

test('a series that has expired meanwhile stays away, and begins anew when it comes', async () => {
  const path = newFolder()
  const first = await withHistory(path)
  await runFor(first, 10)
  await first.hub.stop()
  for (const [afterS, before] of [
    [700, undefined],
    [800, 4],
  ] as const) {
    const next = await later(path, afterS, 600)
    const names = [...next.hub.series].map(({ identity }) => identity.name)
    assert.equal(names.includes('a'), before !== undefined)
    if (before !== undefined) {
      assert.deepEqual(next.hub.total(seriesNamed(next.hub, 'a')), {
        ...{ kind: 'counter', total: before, decrements: 0 },
      })
    }
    await runFor(next, 10)
    await next.hub.stop()
  }
})

/** Sends a window of a Wallaroo worker with two messages that ended before now. */
async function sendWindow({ hub, clock, streamPort }: TestHub, ageS: number): Promise<void> {
  const before = hub.measurements('wallaroo')
  const peer = await RawPeer.connect(streamPort)
  const window = { category: 'computation', pipeline: 'p', worker: 'w', name: 'c' }
  const endNs = BigInt(Math.floor(clock.wallMs() / 1000) - ageS) * 1_000_000_000n
  const times = { end_ns: `${endNs}`, period_ns: '1000000000' }
  peer.write(metricsBytes({ ...window, bins: { 10: '1', 20: '1' }, ...times }))
  await until(() => hub.measurements('wallaroo') > before)
  peer.close()
}

test('a late window of Wallaroo counts in the second it comes in, over a restart', async () => {
  const path = newFolder()
  const first = await withHistory(path)
  first.clock.advance(100_000)
  const beginMs = first.clock.wallMs()
  await sendWindow(first, 70)
  await runFor(first, 3)
  const messages = seriesNamed(first.hub, 'wallaroo_computation_messages_total')
  const { answer } = await range(first.hub, messages.id, beginMs, beginMs + 3000, 1000)
  assert.deepEqual((answer.columns[0] as { delta?: unknown }).delta, [2, 0, 0])
  await first.hub.stop()
  const next = await later(path, 200)
  const again = seriesNamed(next.hub, 'wallaroo_computation_messages_total')
  const latency = seriesNamed(next.hub, 'wallaroo_computation_latency')
  const countOf = () => {
    const counter = next.hub.total(again)
    const histogram = next.hub.total(latency)
    assert.ok(counter.kind === 'counter' && histogram.kind === 'histogram')
    return [counter.total, Number(histogram.histogram.count)]
  }
  assert.deepEqual(countOf(), [2, 2])
  await sendWindow(next, 150)
  await runFor(next, 2)
  assert.deepEqual(countOf(), [4, 4])
  const past = await range(next.hub, again.id, beginMs - 100_000, beginMs + 3000, 1000)
  const deltas = ((past.answer.columns[0] as { delta?: unknown[] }).delta ?? []).map(Number)
  assert.deepEqual([sum(deltas), deltas[100]], [2, 2])
  await next.hub.stop()
})

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
