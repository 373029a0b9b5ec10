/** No file descriptor left: the hub says so, goes on, and serves again when there are some. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startHubProcessWith } from '../support/hub/hub-process.ts'

const DESCRIPTORS = 64
const skip = process.platform === 'win32' ? 'no limit of descriptors here' : false

for (const workers of ['0', '2']) {
  test(`a hub with ${workers} ingest threads survives that its descriptors are used up`, {
    skip,
  }, async (context) => {
    const limits = { descriptors: DESCRIPTORS }
    const hub = await startHubProcessWith(limits, 'serve', '--ingest-workers', workers)
    context.after(() => hub.stop())
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
    const said = (words: string) => async () => {
      while (!hub.log().includes(words)) await wait(20)
    }
    await said('no file descriptor is left')()
    for (const socket of open) socket.destroy()
    await said('there are file descriptors again')()
    const late = connect({ port: text.port, host: '127.0.0.1' })
    late.end('1|6\na:1|m\n')
    await once(late.resume(), 'close')
    const metrics = `http://127.0.0.1:${http.port}/metrics`
    const read = async () => (await fetch(metrics)).text()
    while (!/^a_total\{.*\} 1$/m.test(await read())) await wait(20)
    assert.match(await read(), /pentameter_descriptors_exhausted_total\{reason="EMFILE"\} [1-9]/)
    const { code } = await hub.stop()
    assert.equal(code, 0)
  })
}
