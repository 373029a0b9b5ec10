import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { packet, seriesNamed, startHub, until } from '../../../../test/support/hub/hub.ts'
import { chooseBind } from './index.ts'
import { openLibc } from './libc.ts'

const skip = typeof openLibc() === 'string' && (openLibc() as string)

/** Datagrams that fit a socket's buffer as small as Linux has it by default. */
const BURST = 200

/** What a socket is bound with for a wish, and what was logged about it. */
async function receiveOf(wish: 'auto' | 'dgram' | 'recvmmsg') {
  const log: string[] = []
  const bind = await chooseBind(wish, (level, message, facts) => {
    log.push(`${level} ${message}: ${facts?.reason}`)
  })
  const options = { host: '127.0.0.1', port: 0, isShared: false, bufferBytes: 65_536 }
  const socket = await bind(options, { onMessage() {}, onError() {} })
  socket.close()
  return { receive: socket.receive, log }
}

/** Gives `process` another property for one test. */
function pretend(t: TestContext, name: 'platform' | 'arch', value: string): void {
  const real = Object.getOwnPropertyDescriptor(process, name)!
  Object.defineProperty(process, name, { ...real, value })
  t.after(() => Object.defineProperty(process, name, real))
}

/** Runs module code with `chooseBind` in a thread as the hub starts them. */
function startThread(code: string): Worker {
  const module = JSON.stringify(new URL('./index.ts', import.meta.url).href)
  const program = `
    const { chooseBind } = await import(${module})
    const { parentPort } = await import('node:worker_threads')
    const bind = await chooseBind('auto', (...line) => { throw new Error(line.join()) })
    const options = { host: '127.0.0.1', port: 0, isShared: true, bufferBytes: 65536 }
    const socket = await bind(options, { onMessage() {}, onError() {} })
    ${code}
  `
  const url = new URL(`data:text/javascript,${encodeURIComponent(program)}`)
  return new Worker(url, { execArgv: [], stderr: true })
}

test('recvmmsg is used where it is asked for and works', { skip }, async () => {
  assert.deepEqual(await receiveOf('recvmmsg'), { receive: 'recvmmsg', log: [] })
})

test('left to itself the main thread uses it, too, without a warning', { skip }, async (t) => {
  const warn = t.mock.method(process, 'emitWarning')
  assert.deepEqual(await receiveOf('auto'), { receive: 'recvmmsg', log: [] })
  assert.deepEqual(await receiveOf('dgram'), { receive: 'dgram', log: [] })
  assert.equal(warn.mock.callCount(), 0)
})

test('left to itself another thread uses it, without a warning', { skip }, async () => {
  const thread = startThread('parentPort.postMessage(socket.receive); socket.close()')
  let warnings = ''
  thread.stderr.on('data', (text) => {
    warnings += text
  })
  const [[receive]] = await Promise.all([once(thread, 'message'), once(thread, 'exit')])
  assert.equal(receive, 'recvmmsg')
  assert.equal(warnings, '')
})

test('a Node without node:ffi receives with dgram, and says why when asked', async (t) => {
  t.mock.method(process, 'getBuiltinModule', () => undefined)
  const { receive, log } = await receiveOf('recvmmsg')
  assert.equal(receive, 'dgram')
  assert.match(log.join(), /^warn udp datagrams come one per system call: no node:ffi in Node \d/)
})

test('a Node that forbids node:ffi receives with dgram', { skip }, async (t) => {
  t.mock.method(process, 'getBuiltinModule', () => ({
    dlopen() {
      throw new Error('access to this API has been restricted')
    },
  }))
  const { receive, log } = await receiveOf('recvmmsg')
  assert.equal(receive, 'dgram')
  assert.match(log.join(), /node:ffi can't be used: access to this API has been restricted/)
})

test('on machines whose structures are not known nothing native is called', async (t) => {
  pretend(t, 'platform', 'linux')
  pretend(t, 'arch', 'ia32')
  const load = t.mock.method(process, 'getBuiltinModule')
  const why = async () => (await receiveOf('recvmmsg')).log.join()
  assert.match(await why(), /: structures of ia32 are not known$/)
  pretend(t, 'platform', 'darwin')
  assert.match(await why(), /: no recvmmsg on darwin$/)
  assert.equal(load.mock.callCount(), 0)
})

for (const wish of ['dgram', 'recvmmsg'] as const) {
  test(`a hub whose threads receive by ${wish} says so, and its totals are exact`, {
    skip,
  }, async () => {
    const { hub, textPort } = await startHub({ ingestWorkers: 2, udpReceive: wish })
    assert.equal(hub.sources().listeners[0]!.udpReceive, wish)
    const senders = Array.from({ length: 8 }, () => createSocket('udp4'))
    for (const [i, sender] of senders.entries()) {
      sender.connect(textPort, '127.0.0.1')
      await once(sender, 'connect')
      for (let value = 0; value < BURST; value++) sender.send(packet(`sum:${value}|m\n`))
      await until(() => hub.measurements('statshero') === (i + 1) * BURST)
    }
    await hub.settle()
    const total = hub.total(seriesNamed(hub, 'sum'))
    assert.equal(total.kind === 'counter' && total.total, (8 * (BURST - 1) * BURST) / 2)
    for (const sender of senders) sender.close()
    await hub.stop()
  })
}
