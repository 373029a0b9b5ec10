/** Few file descriptors: limits of connections follow them, so that latecomers are served. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startHubProcessWith } from '../support/hub/hub-process.ts'

const DESCRIPTORS = 128
const skip = process.platform === 'linux' ? false : 'only Linux says how many descriptors there are'

for (const workers of ['0', '2']) {
  test(`a hub with ${workers} ingest threads answers beside more connections than descriptors`, {
    skip,
  }, async (context) => {
    const limits = { descriptors: DESCRIPTORS }
    const hub = await startHubProcessWith(limits, 'serve', '--ingest-workers', workers)
    context.after(() => hub.stop())
    assert.match(hub.log(), /"files":128.*fewer connections are taken/)
    const { http, text } = hub.listeners
    const open: Socket[] = []
    context.after(() => open.forEach((socket) => void socket.destroy()))
    for (let i = 0; i < 2 * DESCRIPTORS; i++) {
      const port = i % 2 === 0 ? text.port : http.port
      open.push(
        connect({ port, host: '127.0.0.1' })
          .on('error', () => {})
          .resume(),
      )
    }
    // until those that it accepted are no longer too young to make room, however late it was
    const isTaken = async (): Promise<boolean> => {
      const late = connect({ port: text.port, host: '127.0.0.1' })
      late.end('1|6\na:1|m\n')
      return once(late.resume(), 'close').then(
        () => true,
        () => false,
      )
    }
    do await wait(500)
    while (!(await isTaken()))
    const metrics = `http://127.0.0.1:${http.port}/metrics`
    const read = async () => (await fetch(metrics)).text()
    while (!/^a_total\{.*\} 1$/m.test(await read())) await wait(20)
    assert.doesNotMatch(await read(), /pentameter_descriptors_exhausted_total\{.*\} [1-9]/)
    const { code } = await hub.stop()
    assert.equal(code, 0)
  })
}
