/** Hubs that are started together, as a supervisor does by mistake. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { startHubProcess } from '../support/hub/hub-process.ts'

test('of hubs that start on one port at the same time only one gets it', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = String((server.address() as AddressInfo).port)
  server.close()
  const flags = ['--ingest-workers', '3', '--text-port', port]
  const hubs = await Promise.all(
    Array.from({ length: 3 }, () => startHubProcess('serve', ...flags)),
  )
  const errors = hubs.flatMap(({ listeners }) => listeners.text.error ?? [])
  await Promise.all(hubs.map((hub) => hub.stop()))
  assert.deepEqual(errors, Array(2).fill('port is taken by another process'))
})
