/** Packets that wait for their link, the oldest first; its lines and bytes are for limits. */
interface WaitingPacket {
  readonly packet: Uint8Array
  readonly lines: number
}

export class PacketQueue {
  /** Lines in all waiting packets. */
  lines = 0
  /** Bytes of all waiting packets. */
  bytes = 0
  readonly #waiting: WaitingPacket[] = []

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  push(entry: WaitingPacket): void {
    this.#waiting.push(entry)
    this.lines += entry.lines
    this.bytes += entry.packet.length
  }

  /** Takes the oldest packet; undefined when there is none. */
  shift(): WaitingPacket | undefined {
    const entry = this.#waiting.shift()
    if (entry === undefined) return undefined
    this.lines -= entry.lines
    this.bytes -= entry.packet.length
    return entry
  }
}
