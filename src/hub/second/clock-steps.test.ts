/** A hub whose wall clock is set: seconds follow it, none is told twice, nothing turns stale. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packet, sendUdp, seriesNamed, startHub } from '../../../test/support/hub/hub.ts'

const HOUR_MS = 3_600_000

for (const [title, byMs] of [
  ['ahead', HOUR_MS],
  ['back', -HOUR_MS],
] as const) {
  test(`an hour ${title}: charts go on at the new time, totals are whole`, async () => {
    const started = await startHub()
    const { hub, clock, log } = started
    for (let i = 0; i < 5; i++) {
      await sendUdp(started, [packet('a:1|m\ng:5|g\n')])
      clock.advance(1000)
    }
    clock.setWall(byMs)
    for (let i = 0; i < 5; i++) {
      await sendUdp(started, [packet('a:1|m\n')])
      clock.advance(1000)
    }
    const nowMs = clock.wallMs()
    const frames = hub.live.between(nowMs - 10_000, nowMs + 10_000)
    const { id } = seriesNamed(hub, 'a')
    assert.equal(hub.live.newest?.endMs, Math.floor(nowMs / 1000) * 1000)
    assert.ok(frames.length >= 4, `${frames.length} frames at the new time`)
    const all = hub.live.between(0, Number.MAX_SAFE_INTEGER)
    for (let i = 1; i < all.length; i++) {
      const { endMs, seconds } = all[i]!
      assert.ok(endMs - seconds * 1000 >= all[i - 1]!.endMs, 'no second twice')
    }
    assert.ok(frames.every((frame) => frame.cell(id, 'counter') !== undefined))
    assert.deepEqual(hub.total(seriesNamed(hub, 'a')), {
      kind: 'counter',
      total: 10,
      decrements: 0,
    })
    // silent for five seconds, as it was before
    const gauge = seriesNamed(hub, 'g', 'gauge')
    assert.equal(Math.round((nowMs - gauge.lastDataMs) / 1000), 5)
    assert.ok(gauge.firstSeenMs <= nowMs)
    const { clockSteps = [], startedMs } = hub.sources()
    assert.equal(Math.round((nowMs - startedMs) / 1000), 10, 'as old as before')
    assert.deepEqual(
      clockSteps.map(({ stepMs }) => stepMs),
      [byMs],
    )
    assert.ok(log.some((line) => line.includes('the wall clock was set')))
    await hub.stop()
  })
}
