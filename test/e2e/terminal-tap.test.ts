/** `pentameter tap` as a process: messages of all listeners, from one thread and from several. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { packet } from '../support/hub/hub.ts'
import { type HubProcess, PROGRAM, startHubProcess } from '../support/hub/hub-process.ts'

interface Line {
  readonly message?: { readonly key?: string; readonly type: string }
  readonly error?: { readonly code: string; readonly hex: string }
  readonly peer: string
  readonly hex?: string
  readonly messages?: readonly unknown[]
}

async function startTap(t: TestContext, workers: string) {
  const hub = await startHubProcess('serve', '--ingest-workers', workers)
  t.after(() => hub.stop())
  const tap = (...args: string[]) => startCommand(t, hub, args)
  return { hub, tap }
}

function startCommand(t: TestContext, hub: HubProcess, args: readonly string[]) {
  const address = `127.0.0.1:${hub.listeners.http.port}`
  const child = spawn(process.execPath, [PROGRAM, 'tap', ...args, '--hub', address])
  t.after(() => child.kill('SIGKILL'))
  let out = ''
  let err = ''
  const wake = new Set<() => void>()
  const note = (): void => {
    for (const each of wake) each()
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    note()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
    note()
  })
  const until = (isEnough: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (isEnough()) resolve()
      }
      wake.add(look)
      look()
    })
  return {
    child,
    isReady: () => until(() => err.includes('listener ')),
    until: (pattern: RegExp) => until(() => pattern.test(out)),
    ended: once(child, 'close').then(([status]) => {
      return { status: status as number | null, out, err }
    }),
    lines: () => {
      return out
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Line)
    },
  }
}

async function sendUdp(port: number, datagrams: readonly (string | Uint8Array)[]): Promise<void> {
  const socket = createSocket('udp4')
  for (const datagram of datagrams) socket.send(datagram, port, '127.0.0.1')
  await new Promise((resolve) => socket.send('', port, '127.0.0.1', resolve))
  socket.close()
}

for (const workers of ['0', '2']) {
  test(`messages and errors of datagrams and connections, ${workers} threads`, async (t) => {
    const { hub, tap } = await startTap(t, workers)
    const { port } = hub.listeners.text
    const early = connect(port, '127.0.0.1')
    t.after(() => early.destroy())
    early.write(packet('before:1|m\n'))
    const { isReady, until, lines, ended, child } = tap('text', '--json')
    await isReady()
    // what was sent before the tap may still be on its way
    const again = setInterval(() => early.write(packet('early:1|m\n')), 50)
    await until(/"key":"early"/)
    clearInterval(again)
    early.write(packet('late:1|m\n').subarray(0, 5))
    await sendUdp(port, [packet('a:1|m\nb:2|g\n'), packet('bad:1x|m\nc:3|m\n'), 'strange'])
    early.write(packet('late:1|m\n').subarray(5))
    await until(/"key":"late"/)
    await until(/"key":"c"/)
    await until(/"unclaimed"/)
    const keys = new Set(lines().map(({ message }) => message?.key))
    for (const key of ['early', 'late', 'a', 'b', 'c']) assert.ok(keys.has(key), key)
    const bad = lines().find(({ error }) => error?.code === 'bad_value')!
    assert.equal(Buffer.from(bad.error!.hex, 'hex').toString(), 'bad:1x|m')
    assert.match(bad.peer, /^127\.0\.0\.1:\d+$/)
    child.kill('SIGTERM')
    const { status, err } = await ended
    assert.equal(status, 0)
    assert.match(err, /seen \d+ s, \d+ messages, \d+ errors\n$/)
  })
}

test('lines for a person: fields, the mark of an error, bytes in brackets, hex', async (t) => {
  const { hub, tap } = await startTap(t, '0')
  const { port } = hub.listeners.text
  const { isReady, ended } = tap(String(port), '--hex', '--limit', '3')
  await isReady()
  await sendUdp(port, [packet('shop.orders:3|m\nbad:1x|m\nevil\u001b[31m:1|m\n')])
  const { status, out } = await ended
  assert.equal(status, 0)
  assert.match(
    out,
    /^\d\d:\d\d:\d\d\.\d{3} udp 127\.0\.0\.1:\d+ +■ bad_value at \d+: .*nothing else/m,
  )
  assert.match(out, /^ {13}\[62 61 64 3a 31 78 7c 6d\] bad:1x\|m$/m)
  assert.match(out, /^ {13}0000 {2}31 7c [0-9a-f ]+ {2}1\|/m)
  assert.match(out, / key=shop\.orders value=3 type=m$/m)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the point of it
  assert.doesNotMatch(out, /[\u0000-\u0009\u000b-\u001f\u007f]/)
})

test('the stream of another dialect is tapped by its name', async (t) => {
  const { hub, tap } = await startTap(t, '0')
  const { isReady, until, lines } = tap('wallaroo', '--json')
  await isReady()
  const worker = connect(hub.listeners.stream.port, '127.0.0.1')
  t.after(() => worker.destroy())
  worker.write(Buffer.from([0, 0, 0, 1, 1]))
  await until(/"connect"/)
  assert.equal(lines()[0]!.message!.type, 'connect')
})

test('a listener that is none is said, with those that there are', async (t) => {
  const { tap } = await startTap(t, '0')
  const { status, err } = await tap('none').ended
  assert.equal(status, 1)
  assert.match(err, /^pentameter: no listener none at .*\n {2}there are: text \(port \d+: stats/)
})
