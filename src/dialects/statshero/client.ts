/**
 * The sending side (§5, "we send"): lines are gathered into packets of at most `maxDatagramBytes`
 * and leave when one is full or old. Over TCP the same packets follow each other (§3.6).
 *
 * What can't be sent throws where it is asked for: a key, type or rate when its recorder is made, a
 * whole line in `send`. Recording through a recorder never throws; it counts.
 */
import type { Clock } from '../../time/clock.ts'
import { backgroundClock, systemClock } from '../../time/system-clock.ts'
import { checkOptions, type GivenOptions } from '../options.ts'
import { PacketSender, type SentCounts } from './client/packet-sender.ts'
import {
  checkSize,
  type Line,
  type LineFrame,
  lineFrame,
  PacketBatch,
  valueText,
} from './codec/encode.ts'
import { type ClientSettings, OWN_CLIENT_OPTIONS } from './options.ts'
import { LF, type TypeWord } from './spec.ts'

/** Address and manner of sending lines. */
export interface StatsHeroClientOptions extends GivenOptions<typeof OWN_CLIENT_OPTIONS> {
  readonly clock?: Pick<Clock, 'after'>
  /** Uniform in [0, 1), for sampling. */
  readonly random?: () => number
  /** The way to the server is open. */
  readonly onConnect?: () => void
  /**
   * A failure of the link, which tries again by itself, after so many ms; at once where there is no
   * connection that could be lost.
   */
  readonly onError?: (error: Error, retryMs?: number) => void
}

/** Lines by what became of them. */
export interface StatsHeroClientCounts extends SentCounts {
  /** Values offered to a recorder that can't be sent. */
  refused: number
}

/** Records values of one series. */
export interface Recorder {
  /** Records a value; never throws: one that can't be sent is counted as refused. */
  record(value: number | bigint): void
}

/**
 * Client that sends measurements of an application. Does not keep the process running; `close`
 * before the end, or the last second is lost. What is recorded before `start` waits in the queue.
 *
 * @example
 * import { StatsHeroClient } from 'pentameter/statshero'
 *
 * const client = new StatsHeroClient({ host: '127.0.0.1', port: 8125 })
 * await client.start()
 * const requests = client.meter('shop.requests')
 * const times = client.histogram('shop.requestTime', 0.1) // one call in ten is sent
 * requests.record(1)
 * times.record(85)
 * await client.close()
 */
export class StatsHeroClient {
  readonly counts: StatsHeroClientCounts = { sent: 0, dropped: 0, lost: 0, refused: 0 }
  readonly #options: ClientSettings
  readonly #clock: Pick<Clock, 'after'>
  readonly #random: () => number
  readonly #batch: PacketBatch
  readonly #sender: PacketSender
  #cancelFlush: (() => void) | undefined
  #isClosed = false

  /**
   * @throws {RangeError} for an option that cannot be used
   * @throws {TypeError} for gzip under the profile `document`
   */
  constructor(options: StatsHeroClientOptions = {}) {
    const { clock = backgroundClock, random = Math.random } = options
    const { onConnect = () => {}, onError = () => {} } = options
    this.#options = checkOptions(OWN_CLIENT_OPTIONS, options)
    const { gzip, profile, maxDatagramBytes } = this.#options
    if (gzip && profile === 'document') throw new TypeError('gzip is outside the document profile')
    this.#clock = clock
    this.#random = random
    this.#batch = new PacketBatch(maxDatagramBytes)
    const closeClock = options.clock ?? systemClock
    const sending = { ...this.#options, clock, closeClock, onConnect, onError }
    this.#sender = new PacketSender(sending, this.counts)
  }

  /** Begins to connect; does not wait for the server, which is tried until it is there. */
  async start(): Promise<void> {
    if (!this.#isClosed) this.#sender.start()
  }

  /** Whether lines can leave now; by UDP, whether the server has a name and a route. */
  get isConnected(): boolean {
    return this.#sender.isConnected
  }

  /** Counts events: `m`. With a rate, only this part of the calls is sent, each for 1 / rate. */
  meter(key: string, sampleRate = 1): Recorder {
    return this.#recorder(key, 'm', sampleRate)
  }

  /** Passes on the readings of a counter kept elsewhere: `mr`. */
  meterReader(key: string): Recorder {
    return this.#recorder(key, 'mr', 1)
  }

  /** Makes the recorder of a value of which the last counts: `g`. */
  gauge(key: string): Recorder {
    return this.#recorder(key, 'g', 1)
  }

  /** Makes the recorder of observations, times in milliseconds by custom: `h`. */
  histogram(key: string, sampleRate = 1): Recorder {
    return this.#recorder(key, 'h', sampleRate)
  }

  /**
   * Sends one line as it is: a rate in it is written and not drawn for.
   * @throws {EncodeError}
   */
  send(line: Line): void {
    const frame = lineFrame(line, this.#options)
    const value = valueText(line.value, line.type, this.#options)
    checkSize(frame, value)
    this.#add(frame, value)
  }

  #recorder(key: string, type: TypeWord, sampleRate: number): Recorder {
    const frame = lineFrame({ key, type, sampleRate }, this.#options)
    return {
      record: (value) => {
        if (sampleRate < 1 && this.#random() >= sampleRate) return
        try {
          const text = valueText(value, type, this.#options)
          checkSize(frame, text)
          this.#add(frame, text)
        } catch {
          // recording never throws: what the caller may not learn here, the count says
          this.counts.refused++
        }
      },
    }
  }

  #add(frame: LineFrame, value: string): void {
    if (this.#isClosed) {
      this.counts.dropped++
      return
    }
    const { flushIntervalMs, queueLinesLimit } = this.#options
    if (!this.#batch.fits(frame, value)) this.flush()
    this.#batch.add(frame, value)
    if (flushIntervalMs === 0 || this.#batch.lines >= queueLinesLimit) this.flush()
    else this.#cancelFlush ??= this.#clock.after(flushIntervalMs, () => this.flush())
    this.#sender.limit(this.#batch.lines)
  }

  /** Sends what has been gathered, as soon as the link takes it. */
  flush(): void {
    this.#cancelFlush?.()
    this.#cancelFlush = undefined
    const { lines } = this.#batch
    if (lines === 0) return
    const packet = this.#batch.take()
    this.#sender.push(this.#options.gzip ? packed(packet) : packet, lines)
  }

  /** Sends what is there, waits at most a second for it, and closes. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.flush()
    this.#isClosed = true
    await this.#sender.close()
  }
}

/** Compresses a packet's body as gzip (§3.4), or leaves it where that is no shorter. */
function packed(packet: Uint8Array): Uint8Array {
  const { gzipSync } = process.getBuiltinModule('node:zlib')
  const body = gzipSync(packet.subarray(packet.indexOf(LF) + 1))
  const smaller = Buffer.concat([Buffer.from(`1|${body.length}\n`), body])
  return smaller.length < packet.length ? smaller : packet
}
