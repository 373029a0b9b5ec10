/** Limits of pipelines where the hub tells of its limits, each bitten by a worker. */

import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { seriesNamed } from '../../../../test/support/hub/hub.ts'
import type { LimitStatus } from '../../../hub/status/status.ts'
import { withFrame } from '../test/frames.ts'
import { type PipelineHub, startPipelineHub } from '../test/pipelines.ts'
import { wallarooOf } from './resident.ts'

const PEER = { transport: 'tcp', address: '10.0.0.1', port: 1 } as const

interface Receiving extends PipelineHub {
  /** Takes a window of a connection. */
  readonly take: (fields: Record<string, unknown>) => void
  readonly join: (worker: string) => void
  readonly close: () => void
  readonly limit: (name: string) => LimitStatus
  readonly counted: (name: string) => number
}

async function receiving(context: TestContext, options = {}): Promise<Receiving> {
  const hub = await startPipelineHub(context, options)
  const receiver = wallarooOf(hub.hub)!.open(PEER)
  return {
    ...hub,
    take: (fields) =>
      withFrame({ bins: { 1: '1' }, ...fields }, (frame) =>
        receiver.metrics(frame, hub.clock.wallMs()),
      ),
    join: (worker) => receiver.join('golden-app', worker),
    close: () => receiver.close(),
    limit: (name) => hub.hub.sources().limits.find((each) => each.name === name)!,
    counted(name) {
      hub.clock.advance(1000)
      return Number((hub.hub.total(seriesNamed(hub.hub, name)) as { total: number }).total)
    },
  }
}

describe('a limit of pipelines is told with what it has cost', () => {
  it('memory of windows', async (context) => {
    const hub = await receiving(context, { wallaroo: { windowBytesLimit: 4096 } })
    const { state } = wallarooOf(hub.hub)!
    for (let i = 0; i < 1000; i++) hub.take({})
    const { limit, used, refused } = hub.limit('wallaroo.windowBytesLimit')
    const [series] = state.series()
    assert.deepEqual([limit, used], [4096, series!.windows.size])
    assert.equal(refused, 1000 - series!.windows.length)
    assert.equal(hub.counted('pentameter.wallaroo.windows.dropped'), refused)
    const size = seriesNamed(hub.hub, 'pentameter.wallaroo.windows.size')
    assert.equal((hub.hub.total(size) as { value: number }).value, used)
  })

  it('workers that only join; one that sends a window has a place', async (context) => {
    const hub = await receiving(context, { wallaroo: { workersLimit: 3 } })
    for (const worker of ['a', 'b', 'c', 'd', 'd']) hub.join(worker)
    hub.take({ worker: 'a' })
    for (const worker of ['d', 'e']) hub.join(worker)
    const { limit, used, refused, behaviour } = hub.limit('wallaroo.workersLimit')
    assert.deepEqual([limit, used, refused], [3, 3, 3])
    assert.match(behaviour, /is forgotten.*Raise it/)
    assert.equal(hub.counted('pentameter.wallaroo.workers.refused'), 3)
    assert.equal(wallarooOf(hub.hub)!.state.series()[0]?.messages(), 1n)
  })

  it('workers that only join, of which no address has all places', async (context) => {
    const hub = await receiving(context, { wallaroo: { workersLimit: 3 } })
    const pipelines = wallarooOf(hub.hub)!
    const names = () => pipelines.workerConnections(undefined).workers.map(({ worker }) => worker)
    for (const worker of ['a', 'b', 'c']) hub.join(worker)
    const other = pipelines.open({ ...PEER, address: '10.0.0.2' })
    other.join('golden-app', 'honest')
    assert.equal(names().length, 3)
    assert.ok(names().includes('honest'))
    for (const worker of ['f', 'g']) hub.join(worker)
    assert.ok(names().includes('honest'), 'taken back')
    hub.close()
    assert.ok(names().includes('honest'), 'what is forgotten has no place to give back')
    // of those that are not connected the longest silent one goes, whoever comes
    hub.clock.advance(1000)
    pipelines.open(PEER).join('golden-app', 'h')
    assert.deepEqual(names().length, 3)
    assert.ok(names().includes('h') && names().includes('honest'))
  })

  it('names of workers that only join, however long', async (context) => {
    const hub = await receiving(context)
    const { state } = wallarooOf(hub.hub)!
    for (let i = 0; i < 100; i++) hub.join(`${i}`.padEnd(65_000, 'x'))
    assert.equal(state.workers.unproven, 64)
    const other = wallarooOf(hub.hub)!.open({ ...PEER, address: '10.0.0.2' })
    other.join('golden-app', 'honest')
    assert.ok([...state.workers].some(({ worker }) => worker === 'honest'))
  })

  it('workers of one connection', async (context) => {
    const hub = await receiving(context)
    for (let i = 0; i < 1002; i++) hub.join(`w${i}`)
    const { limit, used, refused } = hub.limit('workers of one Wallaroo connection')
    assert.deepEqual([limit, used, refused], [1000, 1000, 2])
    const { workers } = wallarooOf(hub.hub)!.workerConnections(undefined)
    assert.equal(workers.filter(({ isConnected }) => !isConnected).length, 2)
  })

  it('series of a source, and of the hub', async (context) => {
    const bySource = await receiving(context, { seriesLimitPerSource: 4 })
    for (let i = 0; i < 5; i++) bySource.take({ name: `N${i}` })
    const { refused, examples } = bySource.limit('seriesLimitPerSource')
    assert.equal(refused, 4)
    assert.deepEqual(examples, [
      { key: 'wallaroo_computation_messages_total', source: PEER.address },
    ])
    assert.equal(bySource.limit('seriesLimit').refused, 0)
    const full = await receiving(context, { seriesLimitPerSource: 3 })
    for (let i = 0; i < 5; i++) full.take({ name: `N${i}` })
    assert.equal(full.limit('seriesLimitPerSource').refused, 4)
    const whole = await receiving(context, { seriesLimit: 5 })
    for (let i = 0; i < 5; i++) whole.take({ name: `N${i}` })
    assert.equal(whole.limit('seriesLimit').refused, 4)
    assert.equal(whole.limit('seriesLimitPerSource').refused, 0)
  })

  it('says nothing of itself where nobody has sent windows', async (context) => {
    const { hub, clock } = await receiving(context)
    clock.advance(2000)
    const own = [...hub.series].filter(({ identity }) => identity.name.includes('wallaroo'))
    assert.deepEqual(own, [])
  })
})
