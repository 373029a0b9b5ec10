/**
 * Faults of the program that no part of it meets: the running second is finished and handed on, the
 * log says what happened, and the exit code is 70. And a signal that would open Node's inspector.
 */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { packet } from '../support/hub/hub.ts'
import { startHubProcess, startHubProcessWith } from '../support/hub/hub-process.ts'

/** Module that plants the fault: on the first SIGUSR2. */
const plant = (statement: string): string =>
  `data:text/javascript,process.once('SIGUSR2',()=>{${encodeURIComponent(statement)}})`

const FAULTS = [
  ['an exception', 'throw new Error("planted")', 'uncaughtException'],
  ['a rejection', 'Promise.reject(new Error("planted"))', 'unhandledRejection'],
] as const

for (const [title, statement, origin] of FAULTS) {
  test(`${title} that nothing catches: the second is finished, and the code is 70`, async (t) => {
    const receiver = createSocket('udp4')
    t.after(() => receiver.close())
    let relayed = ''
    receiver.on('message', (bytes) => {
      relayed += bytes.toString('latin1')
    })
    receiver.bind(0, '127.0.0.1')
    await once(receiver, 'listening')
    const hub = await startHubProcessWith(
      { execArgv: ['--import', plant(statement)] },
      ...['serve', '--relay', `statshero+udp://127.0.0.1:${receiver.address().port}`],
    )
    const { port, host } = hub.listeners.text
    const socket = connect({ port, host })
    socket.end(packet('last:7|m\n'))
    socket.resume()
    await once(socket, 'close')
    hub.signal('SIGUSR2')
    const { code, log } = await hub.ended
    assert.equal(code, 70, log)
    assert.match(log, new RegExp(`"origin":"${origin}".*planted`))
    assert.match(log, /stopped after a fault of its own/)
    assert.match(relayed, /^last:7\|m$/m)
  })
}

test('SIGUSR1 opens no inspector, and SIGUSR2 does not end a hub', async () => {
  const hub = await startHubProcess('serve')
  hub.signal('SIGUSR1')
  hub.signal('SIGUSR2')
  const { http } = hub.listeners
  assert.equal((await fetch(`http://${http.host}:${http.port}/healthz`)).status, 200)
  const { code, log } = await hub.stop()
  assert.equal(code, 0)
  assert.match(log, /SIGUSR1 opens no inspector here/)
  assert.match(log, /SIGUSR2 does nothing here/)
  assert.doesNotMatch(log, /Debugger listening/)
})

test('a hub on every address says what that means; a page and a restart can be told', async () => {
  const hub = await startHubProcess('serve', '--host', '0.0.0.0')
  const { port } = hub.listeners.http
  const sources = (await (await fetch(`http://127.0.0.1:${port}/api/v1/sources`)).json()) as {
    openTo?: string
    startedMs: number
  }
  assert.equal(sources.openTo, '0.0.0.0')
  assert.ok(Math.abs(Date.now() - sources.startedMs) < 60_000)
  const { log } = await hub.stop()
  assert.match(log, /beyond this machine and asks nobody who they are/)
})
