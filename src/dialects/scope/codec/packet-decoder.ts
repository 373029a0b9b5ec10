/** Payloads of one connection to packets: along the last snapshot where possible, else in full. */
import type { Packet } from '../spec.ts'
import { decodePacket, type PacketOptions } from './packet.ts'
import { SnapshotWalker } from './snapshot-walker.ts'

export class PacketDecoder {
  readonly #options: PacketOptions
  readonly #walker = new SnapshotWalker()

  constructor(options: PacketOptions = {}) {
    this.#options = options
  }

  /**
   * Reads one payload. A snapshot's `values` are valid until the next call, its `names` for good.
   * @throws {DecodeError} `bad_msgpack`, `bad_shape` or `bad_time`
   */
  decode(payload: Uint8Array): Packet {
    const walked = this.#walker.walk(payload)
    if (walked !== undefined) return walked
    const packet = decodePacket(payload, this.#options)
    if (packet.kind === 'snapshot') this.#walker.learn(payload, packet)
    return packet
  }
}
