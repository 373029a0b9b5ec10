/**
 * A log that can't be written, or that no reader takes: the hub goes on, and says what is missing
 * as soon as it can.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { PROGRAM, startHubProcessWith } from '../support/hub/hub-process.ts'

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

test('a hub whose start report can not be written goes on', { skip }, async (t) => {
  const stdout = openSync(FULL, 'w')
  const ports = ['--text-port', '0', '--stream-port', '0', '--http-port', '0']
  const hub = spawn(process.execPath, [PROGRAM, 'serve', '--log', 'json', ...ports], {
    stdio: ['ignore', stdout, 'pipe'],
  })
  t.after(() => hub.kill('SIGKILL'))
  closeSync(stdout)
  let log = ''
  for await (const part of hub.stderr!.setEncoding('utf8')) {
    log += part
    if (!log.includes('start report could not be written') || hub.killed) continue
    hub.kill('SIGTERM')
  }
  if (hub.exitCode === null) await once(hub, 'exit')
  assert.equal(hub.exitCode, 0, log)
})

test('a hub goes on, and ends, though the reader of its log hangs', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-log-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'log')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  t.after(() => closeSync(reader))
  const stderr = openSync(path, 'w')
  // as much as a pipe takes
  writeSync(stderr, Buffer.alloc(65_536, 'x'))
  const hub = await startHubProcessWith({ stderr }, 'serve')
  closeSync(stderr)
  hub.signal('SIGUSR1')
  const { http } = hub.listeners
  const answer = await fetch(`http://${http.host}:${http.port}/healthz`)
  assert.equal(answer.status, 200)
  const { code, signal } = await hub.stop()
  assert.deepEqual({ code, signal }, { code: 0, signal: null })
})
