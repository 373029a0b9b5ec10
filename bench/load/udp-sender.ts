/**
 * Offers datagrams in bursts to a receiver that is held still (SIGSTOP) until the burst lies in its
 * socket. So the receiver always finds work when it runs, as under a load that fills its core,
 * whatever the speed of this sender; and a burst that fits the socket's buffer can't be lost.
 */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { until } from '../measure/patience.ts'
import { socketQueue } from './socket-queue.ts'

/** Between two looks at the receiver's queue. */
const POLL_MS = 0.5

export class BurstSender {
  readonly #socket: Socket
  readonly #pid: number
  readonly #port: number

  private constructor(socket: Socket, pid: number, port: number) {
    this.#socket = socket
    this.#pid = pid
    this.#port = port
  }

  static async open(pid: number, port: number): Promise<BurstSender> {
    const socket = createSocket('udp4')
    socket.connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return new BurstSender(socket, pid, port)
  }

  /**
   * Sends `count` datagrams, the given ones in turn, in bursts of `burst`.
   * @throws when the kernel dropped one
   */
  async send(datagrams: readonly Buffer[], count: number, burst: number): Promise<void> {
    const before = socketQueue(this.#port).drops
    for (let sent = 0; sent < count; sent += burst) {
      const end = Math.min(sent + burst, count)
      process.kill(this.#pid, 'SIGSTOP')
      try {
        await this.#sendBurst(datagrams, sent, end)
      } finally {
        process.kill(this.#pid, 'SIGCONT')
      }
      await this.#drained()
    }
    const drops = socketQueue(this.#port).drops - before
    if (drops > 0) throw new Error(`kernel dropped ${drops} of ${count} datagrams, wanted none`)
  }

  #sendBurst(datagrams: readonly Buffer[], from: number, to: number): Promise<void> {
    return new Promise((resolve, reject) => {
      for (let i = from; i < to - 1; i++) this.#socket.send(datagrams[i % datagrams.length]!)
      // datagrams leave in order: when the last one is gone, so are the others
      this.#socket.send(datagrams[(to - 1) % datagrams.length]!, (error) => {
        if (error) reject(error)
        else resolve()
      })
    })
  }

  async #drained(): Promise<void> {
    const isEmpty = (): boolean => socketQueue(this.#port).bytes === 0
    await until(isEmpty, `the receiver on port ${this.#port} to read`, POLL_MS)
  }

  close(): void {
    this.#socket.close()
  }
}
