import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { packet, sendUdp, seriesNamed, startHub } from '../../../test/support/hub/hub.ts'
import { SERIES_LIMITS, SeriesQuota } from '../ingest/quota.ts'
import { PeerCounts } from '../listen/peer-counts.ts'
import { runNow } from '../tasks/task.ts'
import { LoadMeter, memoryBudget, Overload } from './overload.ts'

function watched() {
  const load = { heapShare: 0.1, memoryShare: 0.1, delayMs: 20 }
  const quota = SeriesQuota.create(SERIES_LIMITS)
  const peers = PeerCounts.create(1)
  const log: string[] = []
  const gauges: Record<string, number> = {}
  const overload = new Overload({
    read: () => ({ ...load }),
    quota,
    peers,
    metrics: {
      gauge(name: string, value: number) {
        gauges[name] = value
      },
    },
    log: (level, message, facts) => log.push(`${level} ${message} ${JSON.stringify(facts ?? {})}`),
    nowMs: () => new FakeClock().wallMs(),
  })
  /** One second under a load; what is refused then. */
  const second = (next: Partial<typeof load>): string => {
    Object.assign(load, next)
    runNow(overload.beforeClose())
    const { isOverloaded: refusesNames } = quota
    const { isOverloaded: refusesConnections } = peers
    const refused = { answers: overload.refusesAnswers, refusesNames, refusesConnections }
    return Object.values(refused).map(Number).join('')
  }
  return { second, overload, log, gauges }
}

test('memory: answers are refused first, then names, then connections, and back with slack', () => {
  const { second, overload, log, gauges } = watched()
  const shares = [0.74, 0.76, 0.86, 0.93, 0.88, 0.86, 0.81, 0.79, 0.71, 0.69]
  const refused = shares.map((heapShare) => second({ heapShare }))
  assert.deepEqual(refused, [
    ...['000', '100', '110', '111', '111'],
    ...['110', '110', '100', '100', '000'],
  ])
  assert.equal(overload.status(), undefined)
  assert.equal(gauges['pentameter.overload'], 0)
  assert.equal(log.length, 6)
  assert.match(
    log[0]!,
    /^warn the hub is overloaded.*"refuses":"answers","cause":"76 % of the heap"/,
  )
  assert.match(log.at(-1)!, /^info the hub is no longer overloaded/)
})

test('the memory of the process counts as the heap does', () => {
  const { second, overload } = watched()
  assert.equal(second({ memoryShare: 0.95 }), '111')
  assert.match(overload.status()!.cause, /95 % of the memory/)
})

test('an event loop that is held up for seconds costs large answers alone', () => {
  const { second, overload } = watched()
  const refused = [300, 300, 300, 300, 100].map((delayMs) => second({ delayMs }))
  assert.deepEqual(refused, ['000', '000', '100', '100', '000'])
  second({ delayMs: 900 })
  assert.equal(overload.status(), undefined)
})

test('a budget that is not stated is a share of what machine or container have', () => {
  assert.equal(memoryBudget(5e8), 5e8)
  assert.ok(memoryBudget('auto') > 1e8)
})

test('an overloaded hub counts what it knows, refuses names, and takes no peer', async () => {
  const started = await startHub()
  const { hub, clock, textPort } = started
  await sendUdp(started, [packet('known:1|m\n')])
  hub.series.quota.isOverloaded = true
  hub.peers.isOverloaded = true
  await sendUdp(started, [packet('known:1|m\nnew:1|m\n')])
  const socket = connect({ port: textPort, host: '127.0.0.1' })
  socket.on('error', () => {})
  await once(socket, 'close')
  assert.deepEqual(hub.total(seriesNamed(hub, 'known')), {
    kind: 'counter',
    total: 2,
    decrements: 0,
  })
  const { refusals } = hub.sources()
  assert.deepEqual(
    refusals.map(({ code, count }) => [code, count]),
    [['overloaded', 1]],
  )
  assert.equal(hub.peers.closed('overloaded'), 1)
  clock.advance(1000)
  assert.equal(hub.series.quota.isOverloaded, false, 'as of the load of this process')
  await sendUdp(started, [packet('new:1|m\n')])
  assert.equal(hub.total(seriesNamed(hub, 'new')).kind, 'counter')
})

for (const pauseMs of [0, 60]) {
  test(`a loop that is held ${pauseMs} ms after a look is measured, and told once`, async () => {
    const meter = new LoadMeter(1e9)
    meter.start()
    try {
      await setTimeout(60)
      meter.read()
      if (pauseMs > 0) await setTimeout(pauseMs)
      const untilMs = performance.now() + 150
      while (performance.now() < untilMs);
      await setTimeout(60)
      const { delayMs } = meter.read()
      assert.ok(delayMs >= 129, String(delayMs))
      assert.ok(meter.read().delayMs < delayMs)
    } finally {
      meter.stop()
    }
  })
}
