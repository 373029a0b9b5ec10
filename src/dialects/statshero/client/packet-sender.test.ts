import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { systemClock } from '../../../time/system-clock.ts'
import { PacketSender } from './packet-sender.ts'

const PACKETS = 1000

suite('packets that have waited for a link', { timeout: 30_000 }, () => {
  test('leave in their order, so many in each turn of the event loop', async (context) => {
    let text = ''
    const server = createServer((socket) => {
      socket.setEncoding('latin1').on('data', (piece: string) => {
        text += piece
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    context.after(() => server.close())
    const counts = { sent: 0, dropped: 0, lost: 0 }
    const connected = Promise.withResolvers<void>()
    const sender = new PacketSender(
      {
        ...{ transport: 'tcp', host: '127.0.0.1', port: (server.address() as AddressInfo).port },
        ...{ clock: systemClock, closeClock: systemClock },
        ...{ reconnectFirstMs: 100, reconnectLimitMs: 1000, reconnectJitter: 0 },
        ...{ queueLinesLimit: PACKETS, queueBytesLimit: 1_000_000 },
        onConnect: () => connected.resolve(),
        onError: (error) => assert.fail(error),
      },
      counts,
    )
    context.after(() => sender.close())
    const words = Array.from({ length: PACKETS }, (_, i) => `${i}\n`)
    for (const word of words) sender.push(Buffer.from(word), 1)
    sender.start()
    await connected.promise
    const seen = [0, counts.sent]
    while (counts.sent < PACKETS) {
      await setImmediate()
      seen.push(counts.sent)
    }
    const most = Math.max(...seen.map((count, i) => count - (seen[i - 1] ?? 0)))
    assert.ok(most <= 64, `${most} packets in one turn`)
    await sender.close()
    while (text.length < words.join('').length) await setImmediate()
    assert.equal(text, words.join(''))
  })
})
