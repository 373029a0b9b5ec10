/**
 * The dialect that is served on the hub's HTTP port, as the hub sees it: sockets and answers belong
 * to the HTTP side, which says where it listens and to whom it talks.
 */

import type { ServerAtWork } from '../../../hub/status/sources.ts'
import type { PeerConnection } from '../../peer.ts'
import type { HubCounters } from './hub-counters.ts'

/** What the HTTP side tells once it listens. */
export interface HttpFace {
  readonly host: string
  readonly port: number
  /** Clients of `/api/v1/eventcounters`. */
  connections(): readonly PeerConnection[]
}

export class ServedByHttp implements ServerAtWork {
  readonly #counters: HubCounters
  #face: HttpFace

  /** @param host address and port of the config, until the real ones are known */
  constructor(counters: HubCounters, { host, port }: Pick<HttpFace, 'host' | 'port'>) {
    this.#counters = counters
    this.#face = { host, port, connections: () => [] }
  }

  servedBy(face: HttpFace): void {
    this.#face = face
  }

  get address(): Pick<HttpFace, 'host' | 'port'> {
    return this.#face
  }

  get valuesSent(): number {
    return this.#counters.windowsServed
  }

  get connectionCount(): number {
    return this.#counters.size
  }

  connections(): readonly PeerConnection[] {
    return this.#face.connections()
  }

  async stop(): Promise<void> {
    this.#counters.stop()
  }
}
