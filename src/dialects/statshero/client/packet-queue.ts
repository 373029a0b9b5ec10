/** Packets that wait for their link, bounded by the lines in them; the oldest packets go first. */
interface WaitingPacket {
  readonly packet: Uint8Array
  readonly lines: number
}

export class PacketQueue {
  /** Lines in all waiting packets. */
  lines = 0
  readonly #waiting: WaitingPacket[] = []

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  push(entry: WaitingPacket): void {
    this.#waiting.push(entry)
    this.lines += entry.lines
  }

  /** Takes the oldest packet; undefined when there is none. */
  shift(): WaitingPacket | undefined {
    const entry = this.#waiting.shift()
    this.lines -= entry?.lines ?? 0
    return entry
  }
}
