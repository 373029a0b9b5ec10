/** A hub with a history: what it closed is told seamlessly, whoever held it last. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { RangeAnswer } from '../../src/http/api.ts'
import { findPast } from '../../src/http/query/past.ts'
import { rangeJson } from '../../src/http/query/range.ts'
import { parseConfig } from '../../src/hub/config/config.ts'
import { openHistory } from '../../src/hub/history/open-history.ts'
import type { Hub } from '../../src/hub/hub.ts'
import { DIALECTS } from '../support/dialects.ts'
import { packet, sendUdp, seriesNamed, startHub, type TestHub, until } from '../support/hub/hub.ts'

const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

function newFolder(): string {
  const path = mkdtempSync(join(ROOT, 'pentameter-hub-'))
  after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

async function withHistory(path: string): Promise<TestHub> {
  const started = await startHub()
  const config = parseConfig({ history: { path } }, DIALECTS)
  await openHistory(started.hub, config, (level, message, facts) => {
    started.log.push(`${level} ${message} ${JSON.stringify(facts)}`)
  })
  return started
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
  await second.hub.stop()
  await first.hub.stop()
  const third = await withHistory(path)
  assert.equal(third.hub.sources().history?.state, 'running')
  await third.hub.stop()
})

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
