/** One request on its way through a filter: headers, bodies and what the filter decided. */
import type { HeaderMapName } from '../abi.ts'
import { BUFFER_BYTES } from '../options.ts'
import type { FilterMessage, FilterRequest, Headers } from './exchange.ts'
import { HeaderMap } from './header-map.ts'

/** A response that the filter sent itself. */
interface LocalResponse {
  readonly status: number
  readonly details: string
}

const DEFAULT_RESPONSE: Headers = [[':status', '200']]
const encoder = new TextEncoder()

export class FilterStream {
  /** Number of its context. */
  readonly id: number
  readonly maps: Readonly<Record<HeaderMapName, HeaderMap>>
  readonly bodies: { request: Uint8Array; response: Uint8Array }
  /** Properties set by the filter, by their paths. */
  readonly properties = new Map<string, Uint8Array>()
  #propertyBytes = 0
  localResponse: LocalResponse | undefined
  /** The last callback asked to wait, and nothing has continued the stream. */
  isPaused = false

  constructor(id: number, request: FilterRequest) {
    this.id = id
    const { response } = request
    this.maps = {
      requestHeaders: new HeaderMap(request.headers),
      requestTrailers: new HeaderMap(request.trailers),
      responseHeaders: new HeaderMap(response?.headers ?? DEFAULT_RESPONSE),
      responseTrailers: new HeaderMap(response?.trailers),
    }
    this.bodies = { request: bytesOf(request.body), response: bytesOf(response?.body) }
  }

  get status(): number {
    const status = Number(this.maps.responseHeaders.get(':status') ?? '200')
    return Number.isInteger(status) ? status : 200
  }

  answer(local: LocalResponse, body: Uint8Array, headers: Headers): void {
    this.localResponse = local
    this.maps.responseHeaders.set([[':status', String(local.status)], ...headers])
    this.maps.responseTrailers.set([])
    this.bodies.response = body
  }

  /** @returns false when the properties of this stream have no room for it */
  setProperty(path: string, value: Uint8Array): boolean {
    const before = this.properties.get(path)
    const grown = value.length - (before?.length ?? -path.length)
    if (this.#propertyBytes + grown > BUFFER_BYTES) return false
    this.#propertyBytes += grown
    this.properties.set(path, value)
    return true
  }

  message(side: 'request' | 'response'): FilterMessage {
    return {
      headers: this.maps[`${side}Headers`].pairs,
      body: this.bodies[side],
      trailers: this.maps[`${side}Trailers`].pairs,
    }
  }
}

export function bytesOf(content: Uint8Array | string | undefined): Uint8Array {
  if (content === undefined) return new Uint8Array(0)
  return typeof content === 'string' ? encoder.encode(content) : content
}
