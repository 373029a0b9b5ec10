import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { until } from '../../test/scope-server.ts'
import { Player } from './player.ts'
import { Recorder, RecordingReader } from './recording-file.ts'

const cleanups: (() => unknown)[] = []
let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pentameter-recording-'))
  path = join(folder, 'a.scope')
})
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup()
  rmSync(folder, { recursive: true })
})

/** Records two connections: bytes at 10 and 30 ms of the first, at 500 of the second. */
function record(): void {
  const clock = new FakeClock()
  const recorder = new Recorder(path, clock)
  const at = (ms: number) => clock.advance(ms)
  recorder.opened()
  at(10)
  recorder.bytes(Buffer.from('one'))
  at(20)
  recorder.bytes(Buffer.from('two'))
  at(20)
  recorder.closed()
  at(100)
  // an attempt that found nobody
  recorder.opened()
  recorder.closed()
  at(350)
  recorder.opened()
  recorder.bytes(Buffer.from('three'))
  recorder.end()
  assert.equal(recorder.size, statSync(path).size)
}

function entries(): (readonly [string, number, string])[] {
  const reader = new RecordingReader(path)
  const all: (readonly [string, number, string])[] = []
  for (let entry = reader.next(); entry !== undefined; entry = reader.next()) {
    all.push([entry.event, entry.atMs, Buffer.from(entry.bytes).toString()])
  }
  reader.close()
  if (reader.damage !== undefined) all.push(['damage', 0, reader.damage])
  return all
}

suite('a recording', () => {
  test('has every read with its time, and where connections began and ended', () => {
    record()
    assert.deepEqual(entries(), [
      ['opened', 0, ''],
      ['bytes', 10, 'one'],
      ['bytes', 30, 'two'],
      ['closed', 50, ''],
      ['opened', 150, ''],
      ['closed', 150, ''],
      ['opened', 500, ''],
      ['bytes', 500, 'three'],
      ['closed', 500, ''],
    ])
  })

  test('cut off anywhere it is read up to there, and said to be cut off', () => {
    record()
    const whole = readFileSync(path)
    const all = entries()
    const ends = new Set<number>([8])
    for (const [, , text] of all) ends.add([...ends].at(-1)! + 13 + text.length)
    for (let size = 8; size < whole.length; size++) {
      writeFileSync(path, whole.subarray(0, size))
      const read = entries()
      const isWhole = ends.has(size)
      const last = read.at(-1)
      assert.equal(last?.[0] === 'damage', !isWhole, String(size))
      if (!isWhole) assert.match(last![2], /^the recording is cut off at byte \d+$/)
      const kept = isWhole ? read : read.slice(0, -1)
      assert.deepEqual(kept, all.slice(0, kept.length))
    }
  })

  test('an entry that cannot be ends it: an event, a time, a length', () => {
    const head = (event: number, ms: number, length: number): Buffer => {
      const bytes = Buffer.alloc(13)
      bytes[0] = event
      bytes.writeDoubleLE(ms, 1)
      bytes.writeUInt32LE(length, 9)
      return bytes
    }
    const times = [head(0, 1, 0), head(0, NaN, 0), head(0, Infinity, 0)]
    for (const bad of [head(3, 600, 0), ...times, head(1, 600, 1 << 30)]) {
      rmSync(path, { force: true })
      record()
      const size = statSync(path).size
      appendFileSync(path, bad)
      assert.deepEqual(entries().at(-1), ['damage', 0, `the recording is damaged at byte ${size}`])
    }
  })

  test('overwrites no file, and takes nothing else for a recording', () => {
    record()
    const before = readFileSync(path)
    assert.throws(() => new Recorder(path, new FakeClock()), /can't record: EEXIST/)
    assert.deepEqual(readFileSync(path), before)
    const none = { name: 'Error', message: /^can't replay: .* is no recording of pentameter scope/ }
    for (const text of ['', 'PSCOPE2\n', 'PSCOPE1']) {
      writeFileSync(path, text)
      assert.throws(() => new RecordingReader(path), none)
    }
    assert.throws(() => new RecordingReader(folder), none)
    const pipe = join(folder, 'pipe')
    if (spawnSync('mkfifo', [pipe]).status === 0) {
      assert.throws(() => new RecordingReader(pipe), none)
    }
    assert.throws(() => new RecordingReader(join(folder, 'b')), /can't replay: ENOENT/)
  })
})

suite('a player', () => {
  async function play() {
    const clock = new FakeClock()
    let isEnded = false
    const events = {
      ended: () => {
        isEnded = true
      },
    }
    const player = new Player(new RecordingReader(path), clock, events)
    cleanups.push(() => player.stop())
    const port = await player.start()
    const join = async (): Promise<{ socket: Socket; read: () => string }> => {
      let text = ''
      const socket = connect(port, '127.0.0.1')
      socket.on('data', (bytes) => {
        text += bytes.toString()
      })
      cleanups.push(() => socket.destroy())
      await once(socket, 'connect')
      return { socket, read: () => text }
    }
    const pass = async (ms: number) => {
      clock.advance(ms)
      for (let i = 0; i < 20; i++) await turn()
    }
    return { join, pass, isEnded: () => isEnded }
  }

  test('sends each connection its own bytes in their time, then ends it', async () => {
    record()
    const { join, pass, isEnded } = await play()
    const first = await join()
    await until(() => first.read() === 'one')
    await pass(19)
    assert.equal(first.read(), 'one')
    await pass(1)
    await until(() => first.read() === 'onetwo')
    const closed = once(first.socket, 'close')
    await pass(20)
    await closed
    assert.equal(isEnded(), false)
    const second = await join()
    await until(() => second.read() === 'three')
    await until(isEnded)
  })

  test('has ended only when the last client has read all that was sent', async () => {
    const recorder = new Recorder(path, new FakeClock())
    recorder.opened()
    recorder.bytes(Buffer.from('one'))
    recorder.bytes(Buffer.from('last'))
    recorder.end()
    const { join, pass, isEnded } = await play()
    const { socket, read } = await join()
    socket.pause()
    await pass(10)
    assert.equal(isEnded(), false)
    socket.resume()
    await until(isEnded)
    assert.equal(read(), 'onelast')
  })

  test('a recording that was cut off is read to its end, too', async () => {
    record()
    writeFileSync(path, readFileSync(path).subarray(0, 8 + 13 + 13 + 3 + 13 + 3))
    const { join, pass, isEnded } = await play()
    const { socket, read } = await join()
    socket.pause()
    await pass(30)
    assert.equal(isEnded(), false)
    socket.resume()
    await until(isEnded)
    assert.equal(read(), 'onetwo')
  })

  test('a client that leaves early gets what came to the next connection', async () => {
    record()
    const { join } = await play()
    const first = await join()
    await until(() => first.read() === 'one')
    const closed = once(first.socket, 'close')
    first.socket.destroy()
    await closed
    for (let i = 0; i < 20; i++) await turn()
    const second = await join()
    await until(() => second.read() === 'three')
  })
})
