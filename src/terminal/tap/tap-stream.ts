/** The events of a tap, from a hub that may go and come back. */
import type {
  SourcesAnswer,
  TapErrorEvent,
  TapHelloEvent,
  TapPacketEvent,
  TapSkippedEvent,
} from '../../http/api.ts'
import { escapeUnseen } from '../../model/text/unseen.ts'
import { addressOf, type EventStream } from '../../viewer/store/hub-api.ts'
import { CommandError } from '../exit.ts'
import type { Hub } from '../hub/connect.ts'
import type { HubError } from '../hub/connection.ts'

const RETRY_MS = 1000

interface TapEvents {
  onHello(event: TapHelloEvent): void
  onPacket(event: TapPacketEvent): void
  onError(event: TapErrorEvent): void
  onSkipped(event: TapSkippedEvent): void
  /** Tells that the stream is cut; it is opened again. */
  onLost(): void
  /** Tells that the hub does not want it, in words. */
  onRefused(words: string): void
}

/**
 * Finds the name of a listener.
 * @param wanted its name, its port, or the name or title of a dialect
 * @throws {CommandError} where there is none, with those that there are
 */
export async function findListener(hub: Hub, wanted: string): Promise<string> {
  const { signal } = new AbortController()
  const { listeners, dialects } = (await hub.api.get('/sources', signal)) as SourcesAnswer
  const word = wanted.toLowerCase()
  const dialect = dialects.find(({ name, title }) => {
    return name === word || title.toLowerCase() === word
  })
  const found =
    listeners.find(({ name }) => name === word) ??
    listeners.find(({ port }) => String(port) === word) ??
    listeners.find((each) => dialect !== undefined && each.dialects.includes(dialect.name))
  if (found !== undefined) return found.name
  const known = listeners.map(({ name, port, dialects }) => {
    return `${name} (port ${port}: ${dialects.join(', ')})`
  })
  throw new CommandError(
    `no listener ${escapeUnseen(wanted)} at ${hub.address.name}\n  there are: ${known.join(', ')}`,
  )
}

export class TapStream {
  /** Number of times that it was cut. */
  losses = 0
  readonly #hub: Hub
  readonly #path: string
  readonly #events: TapEvents
  #source: EventStream | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #isLive = false

  constructor(hub: Hub, listener: string, hasHex: boolean, events: TapEvents) {
    this.#hub = hub
    this.#path = addressOf(`/tap?listener=${encodeURIComponent(listener)}&hex=${hasHex}`)
    this.#events = events
  }

  open(): void {
    const events = this.#events
    const onRefused = (error: HubError): void => {
      if (error.status === undefined || error.status === 200) return
      this.close()
      events.onRefused(escapeUnseen(error.message))
    }
    const source = this.#hub.connection.openStream(this.#path, { onRefused })
    this.#source = source
    const listen = <T>(name: string, take: (event: T) => void): void => {
      source.addEventListener(name, ({ data }) => take(JSON.parse(data) as T))
    }
    listen<TapHelloEvent>('hello', (event) => {
      this.#isLive = true
      events.onHello(event)
    })
    listen('packet', (event: TapPacketEvent) => events.onPacket(event))
    listen('bad', (event: TapErrorEvent) => events.onError(event))
    listen('skipped', (event: TapSkippedEvent) => events.onSkipped(event))
    source.onerror = () => this.#again()
  }

  #again(): void {
    if (this.#isLive) {
      this.losses++
      this.#events.onLost()
    }
    this.#isLive = false
    this.#retry = setTimeout(() => this.open(), RETRY_MS)
  }

  close(): void {
    clearTimeout(this.#retry)
    if (this.#source !== undefined) this.#source.onerror = null
    this.#source?.close()
  }
}
