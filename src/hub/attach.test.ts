import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHub, type TestHub, until } from '../../test/support/hub/hub.ts'
import { CallbackSource } from '../dialects/scope/server/callback-source.ts'
import { ScopeServer } from '../dialects/scope/server.ts'
import type { SeriesRecord } from './series/record.ts'

/** A scope exporter and a hub that reads it, both under the hub's clock. */
async function attachedHub(options: Record<string, unknown> = {}) {
  const values = new CallbackSource()
  const exporter = new ScopeServer({ source: values, port: 0 })
  await exporter.start()
  const { port } = exporter
  const started = await startHub({
    attach: [`scope://127.0.0.1:${port}`],
    scope: { client: { samplingIntervalMs: 5 } },
    ...options,
  })
  return { ...started, values, exporter }
}

function named({ hub }: Pick<TestHub, 'hub'>, name: string): SeriesRecord | undefined {
  return [...hub.series].find(({ identity }) => identity.name === name)
}

function gaugeOf({ hub }: Pick<TestHub, 'hub'>, name: string): unknown {
  const record = named({ hub }, name)
  const total = record && hub.total(record)
  return total?.kind === 'gauge' ? total.value : undefined
}

test('a hub reads a scope exporter, and says so among its connections', async () => {
  const { hub, clock, values, exporter } = await attachedHub()
  values.add('level', () => 42.5, { unit: 'm' })
  await until(() => gaugeOf({ hub }, 'level') === 42.5)
  clock.advance(1000)
  const { connections, dialects } = hub.sources()
  const [connection] = connections
  assert.deepEqual([connection?.dialect, connection?.openedBy], ['scope', 'hub'])
  assert.equal(connection?.facts.state, 'online')
  assert.equal(dialects.find(({ name }) => name === 'scope')!.ratePerSecond > 0, true)
  await hub.stop()
  await exporter.close()
})

test('an attached gauge that expired comes back as itself', async () => {
  const { hub, clock, values, exporter } = await attachedHub({ expireAfterS: 5 })
  let level = Number.NaN
  let depth = 7
  values.add('level', () => level)
  values.add('depth', () => depth)
  level = 1
  await until(() => gaugeOf({ hub }, 'level') === 1)
  level = Number.NaN
  for (let second = 0; second < 8; second++) {
    depth++
    await until(() => gaugeOf({ hub }, 'depth') === depth)
    clock.advance(1000)
  }
  assert.equal(named({ hub }, 'level'), undefined)
  level = 3
  await until(() => gaugeOf({ hub }, 'level') === 3)
  assert.equal(gaugeOf({ hub }, 'depth'), depth)
  await hub.stop()
  await exporter.close()
})

test('what a hub remembers of an attached peer has a limit of bytes', async () => {
  const values = new CallbackSource()
  for (let i = 0; i < 40; i++) values.add(`${i}`.padStart(4000, 'n'), () => 1)
  const exporter = new ScopeServer({ source: values, port: 0 })
  await exporter.start()
  const attach = [`scope://127.0.0.1:${exporter.port}`]
  const { hub } = await startHub({ attach, attachedBytesLimit: 100_000 })
  const taken = () => [...hub.series].filter(({ identity }) => identity.name.length === 4000)
  const omitted = () => {
    const found = [...hub.series].find(
      ({ identity }) => identity.name === 'pentameter.scope.names_omitted',
    )
    return found?.identity.labels.find(([key]) => key === 'reason')?.[1]
  }
  await until(() => taken().length > 0 && omitted() === 'max_bytes')
  assert.equal(taken().length, 5)
  await hub.stop()
  await exporter.close()
})
