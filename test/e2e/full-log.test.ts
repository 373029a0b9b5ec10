/** A log that can't be written: the hub goes on, and says what is missing as soon as it can. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startHubProcessWith } from '../support/hub/hub-process.ts'

const FULL = '/dev/full'
const skip = existsSync(FULL) ? false : `no ${FULL} here`

test('a hub whose log is on a full disk takes what comes, and ends as it should', {
  skip,
}, async () => {
  const stderr = openSync(FULL, 'w')
  const hub = await startHubProcessWith({ stderr }, 'serve')
  closeSync(stderr)
  const { text, http } = hub.listeners
  const socket = connect({ port: text.port, host: text.host })
  // the first is refused with a line in the log
  socket.end('nonsense of no dialect\n')
  socket.resume()
  await once(socket, 'close')
  const answer = await fetch(`http://${http.host}:${http.port}/healthz`)
  assert.equal(answer.status, 200)
  const { code } = await hub.stop()
  assert.equal(code, 0)
})
