/**
 * Honest peers that come while others hold all places: every quarter of a second one of an address
 * of its own to every port and every kind of place, and a sender of large frames. Each must be
 * served.
 */
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Address, Listeners } from '../support/hub/hub-process.ts'
import { get, text } from './crowd.ts'

const PAUSE_MS = 250
/** A connection that a hub has no place for is closed long before. */
const STAYS_MS = 300
const ANSWER_MS = 15_000
const ADDRESSES = 200
const LARGE_PAUSE_MS = 50
/** Lines of a large frame, of some 940 kB, so long that they cost little. */
const LARGE_LINES = 1000
const LARGE_NAME = `neighbour.large.${'x'.repeat(920)}`
/** Connect and Join of a Wallaroo worker. */
const JOIN = Buffer.from('00000001010000001302000000096d6574726963733a610000000177', 'hex')

const LATE_NAME = 'neighbour.late'

export class Latecomers {
  readonly #listeners: Listeners
  readonly #lines = { late: 0, large: 0 }
  #came = 0
  #refused: string[] = []

  constructor(listeners: Listeners) {
    this.#listeners = listeners
  }

  /** Lines of those that were not refused, since the beginning, by the name of their series. */
  get lines(): Readonly<Record<string, number>> {
    return { [LATE_NAME]: this.#lines.late, [LARGE_NAME]: this.#lines.large }
  }

  /** Takes what happened since it was last taken. */
  take(): { readonly came: number; readonly refused: readonly string[] } {
    const taken = { came: this.#came, refused: this.#refused }
    this.#came = 0
    this.#refused = []
    return taken
  }

  /** Sends a line of each series: later there may be no room for new ones. */
  async begin(): Promise<void> {
    const socket = open(this.#listeners.text, '127.0.1.250')
    socket.write(text(`${LATE_NAME}:1|m\n${LARGE_NAME}:1|m\n`))
    this.#lines.late++
    this.#lines.large++
    await ended(socket)
  }

  /** Comes until the signal; resolves when all connections are closed. */
  async come(signal: AbortSignal): Promise<void> {
    const large = this.#sendLarge(signal)
    const rounds: Promise<void>[] = []
    for (let round = 0; !signal.aborted; round++) {
      rounds.push(this.#round(`127.0.1.${1 + (round % ADDRESSES)}`))
      await setTimeout(PAUSE_MS)
    }
    await Promise.all([...rounds, large])
  }

  async #round(address: string): Promise<void> {
    const { http, stream, text: lines } = this.#listeners
    const asks = (path: string) => answers(http, address, get(path), ' 200 ')
    const attempts: Readonly<Record<string, Promise<boolean>>> = {
      'health check': asks('/healthz'),
      'live stream': asks('/api/v1/live'),
      'counter session': asks('/api/v1/eventcounters?EventCounterIntervalSec=1'),
      // hears the version
      viewer: answers(stream, address, '', '\x01\0'),
      worker: stays(stream, address, JOIN),
      sender: stays(lines, address, text(`${LATE_NAME}:1|m\n`)),
    }
    for (const [name, attempt] of Object.entries(attempts)) {
      this.#came++
      const isServed = await attempt
      if (!isServed) this.#refused.push(name)
      else if (name === 'sender') this.#lines.late++
    }
  }

  async #sendLarge(signal: AbortSignal): Promise<void> {
    const frame = text(`${LARGE_NAME}:1|m\n`.repeat(LARGE_LINES))
    const socket = open(this.#listeners.text, '127.0.1.250')
    while (!signal.aborted) {
      if (socket.destroyed) this.#refused.push('sender of large frames')
      if (socket.destroyed) break
      if (socket.writableLength === 0) {
        socket.write(frame)
        this.#lines.large += LARGE_LINES
      }
      await setTimeout(LARGE_PAUSE_MS)
    }
    await ended(socket)
  }
}

function open({ host, port }: Address, localAddress: string): Socket {
  const socket = connect({ host, port, localAddress })
  socket.on('error', () => {})
  socket.resume()
  return socket
}

/** Tells whether an answer that has this in it comes in time. */
function answers(to: Address, from: string, request: string, wanted: string): Promise<boolean> {
  const socket = open(to, from)
  const answer = new Promise<boolean>((resolve) => {
    let received = ''
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      if (received.includes(wanted)) resolve(true)
    })
    socket.on('close', () => resolve(false))
    void setTimeout(ANSWER_MS, false, { ref: false }).then(resolve)
  })
  if (request !== '') socket.write(request)
  return answer.finally(() => socket.destroy())
}

/** Tells whether a connection that says something is not closed for a while. */
async function stays(to: Address, from: string, bytes: string | Uint8Array): Promise<boolean> {
  const socket = open(to, from)
  socket.write(bytes)
  await setTimeout(STAYS_MS)
  const isOpen = !socket.destroyed
  await ended(socket)
  return isOpen
}

/** Closes a connection behind what waits; resolves when the other side has taken it. */
async function ended(socket: Socket): Promise<void> {
  if (socket.destroyed) return
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.end()
  await Promise.race([closed, setTimeout(ANSWER_MS, undefined, { ref: false })])
  socket.destroy()
}
