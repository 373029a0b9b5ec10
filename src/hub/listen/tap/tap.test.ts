import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { suite, test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { Tap, type TapBatch, type TapPacket } from './tap.ts'

const SLICE_MS = 100
const PEER = { transport: 'tcp', address: '10.0.0.1', port: 7 } as const

/** Progress of a connection, of which each text is that of frames `<…>`. */
class Frames {
  messages = 0
  bytesHeld = 0
  isTimed = false
  hasRest = false
  bytesInside = 0

  take(text: string): void {
    for (const character of text) {
      this.bytesInside = character === '>' ? 0 : this.bytesInside + 1
    }
  }

  get isInsideMessage(): boolean {
    return this.bytesInside > 0
  }
}

function start() {
  const clock = new FakeClock()
  const batches: TapBatch[] = []
  const tap = new Tap(clock, (batch) => batches.push(batch))
  const pass = () => {
    clock.advance(SLICE_MS)
    return batches.at(-1)!
  }
  return { clock, tap, batches, pass }
}

function connection(tap: Tap, first?: string, before = '') {
  const progress = new Frames()
  const socket = Object.assign(new EventEmitter(), { remoteAddress: '10.0.0.1', remotePort: 7 })
  socket.on('data', (bytes: Buffer) => progress.take(bytes.toString()))
  progress.take(before + (first ?? ''))
  const bytes = first === undefined ? undefined : Buffer.from(first)
  tap.follow(socket as unknown as Socket, 'frames', progress, bytes)
  const say = (text: string) => socket.emit('data', Buffer.from(text))
  return { socket, say, progress }
}

const texts = ({ items }: TapBatch) =>
  (items as readonly TapPacket[]).map(({ bytes, isStart, isAfterGap }) => {
    return `${isAfterGap ? '…' : ''}${isStart ? '' : '-'}${Buffer.from(bytes)}`
  })

suite('a tap', () => {
  test('gives datagrams in their order, at the end of a slice of time', () => {
    const { tap, batches, pass } = start()
    tap.datagram('dialect', Buffer.from('a'), '10.0.0.1', 1)
    tap.datagram('dialect', Buffer.from('b'), '10.0.0.2', 2)
    assert.equal(batches.length, 0)
    const { items, losses } = pass()
    assert.deepEqual(texts({ items, losses }), ['a', 'b'])
    const { transport, address, port } = items[1]!
    assert.deepEqual([transport, address, port], ['udp', '10.0.0.2', 2])
    assert.deepEqual(losses, { packets: 0, bytes: 0, errors: 0 })
  })

  test('keeps so much of a slice, counts what is beyond, and goes on with the next', () => {
    const { tap, pass } = start()
    for (let i = 0; i < 1000; i++) tap.datagram('dialect', Buffer.alloc(10), '10.0.0.1', 1)
    const full = pass()
    assert.deepEqual([full.items.length, full.losses.packets, full.losses.bytes], [256, 744, 7440])
    tap.datagram('dialect', Buffer.alloc(60_000), '10.0.0.1', 1)
    tap.datagram('dialect', Buffer.alloc(60_000), '10.0.0.1', 1)
    const large = pass()
    assert.deepEqual([large.items.length, large.losses.bytes], [1, 60_000])
  })

  test('keeps errors beside what it has no room for, and of each a part', () => {
    const { tap, pass } = start()
    for (let i = 0; i < 300; i++) tap.datagram('dialect', Buffer.alloc(1), '10.0.0.1', 1)
    const error = { dialect: 'dialect', code: 'bad', offset: 3, resync: true }
    for (let i = 0; i < 70; i++) tap.error(error, Buffer.alloc(500, i), PEER, 'x'.repeat(999), 200)
    const { items, losses } = pass()
    const errors = items.filter((item) => 'code' in item)
    assert.deepEqual([errors.length, losses.errors], [64, 6])
    assert.deepEqual([errors[5]!.bytes.length, errors[5]!.bytes[0]], [128, 5])
    assert.equal(errors[5]!.detail.length, 200)
  })

  test('follows a new connection from its first byte on', () => {
    const { tap, pass } = start()
    const { say } = connection(tap, '<on')
    say('e><two>')
    say('<three>')
    assert.deepEqual(texts(pass()), ['<on', '-e><two>', '<three>'])
  })

  test('joins one that was there at its next message, wherever reads cut it', () => {
    const { tap, pass } = start()
    const { say } = connection(tap, undefined, '<begun bef')
    say('ore>a')
    say('<x><half')
    say(' of it>')
    const batch = pass()
    assert.deepEqual(texts(batch), ['…a', '-<x><half', '- of it>'])
    assert.deepEqual(batch.losses, { packets: 1, bytes: 4, errors: 0 })
  })

  test('leaves a connection in a flood, and joins it at a message of the next slice', () => {
    const { tap, pass } = start()
    const { say } = connection(tap, '<')
    say(`${'x'.repeat(40_000)}`)
    say('y><z')
    const cut = pass()
    assert.deepEqual(
      (cut.items as TapPacket[]).map(({ bytes }) => bytes.length),
      [1, 32_767],
    )
    assert.equal(cut.losses.bytes, 40_000 - 32_767 + 4)
    say('>')
    say('<next>')
    assert.deepEqual(texts(pass()), ['…<next>'])
  })

  test('is silent where nobody takes its batches, and says then what was lost', () => {
    const { tap, batches, pass } = start()
    tap.credit = 1
    const { say } = connection(tap, '<a>')
    pass()
    say('<b>')
    pass()
    assert.equal(batches.length, 1)
    tap.credit = 1
    say('<c>')
    const { losses, items } = pass()
    assert.deepEqual(losses, { packets: 1, bytes: 3, errors: 0 })
    assert.deepEqual(texts({ items, losses }), ['…<c>'])
  })

  test('leaves nothing behind when it is closed', () => {
    const { clock, tap } = start()
    const { socket } = connection(tap, '<a>')
    assert.equal(socket.listenerCount('data'), 2)
    tap.close()
    assert.deepEqual([socket.listenerCount('data'), socket.listenerCount('close')], [1, 0])
    assert.equal(clock.pending, 0)
  })
})
