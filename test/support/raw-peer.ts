/** A TCP connection that a test drives byte by byte, waiting for events and never for time. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export class RawPeer {
  readonly socket: Socket
  #received = Buffer.alloc(0)
  #isEnded = false
  #isClosed = false
  #wake: () => void = () => {}

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes])
      this.#wake()
    })
    socket.on('end', () => {
      this.#isEnded = true
      this.#wake()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#isClosed = true
      this.#wake()
    })
  }

  /**
   * Keeps its own side open when the other closes, so that a test decides.
   * @param localAddress one of loopback's
   */
  static async connect(
    port: number,
    host = '127.0.0.1',
    localAddress = '127.0.0.1',
  ): Promise<RawPeer> {
    const socket = connect({ port, host, localAddress, allowHalfOpen: true })
    const peer = new RawPeer(socket)
    await once(socket, 'connect')
    return peer
  }

  /** A connection that a test's server has accepted. */
  static of(socket: Socket): RawPeer {
    return new RawPeer(socket)
  }

  /** Everything received and not yet taken. */
  get received(): Buffer {
    return this.#received
  }

  /** True when the other side has closed, for writing or altogether. */
  get isEnded(): boolean {
    return this.#isEnded || this.#isClosed
  }

  write(bytes: Uint8Array): void {
    this.socket.write(bytes)
  }

  /** Takes exactly this many bytes; rejects when the other side ends before. */
  async take(count: number): Promise<Buffer> {
    await this.#until(() => this.#received.length >= count)
    if (this.#received.length < count) {
      throw new Error(`ended after ${this.#received.length} of ${count} bytes`)
    }
    const bytes = this.#received.subarray(0, count)
    this.#received = this.#received.subarray(count)
    return bytes
  }

  /** One message with a length in front: the payload. */
  async takeFrame(): Promise<Buffer> {
    const length = (await this.take(4)).readUInt32LE()
    return this.take(length)
  }

  /** Waits until the other side has ended. */
  async ended(): Promise<void> {
    await this.#until(() => false)
  }

  async #until(isDone: () => boolean): Promise<void> {
    while (!isDone() && !this.isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  close(): void {
    this.socket.destroy()
  }
}
