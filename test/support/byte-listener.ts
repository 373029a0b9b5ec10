/** A hub that only listens: connections one after the other, with every byte of each. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export class ByteListener {
  readonly streams: Buffer[] = []
  readonly sockets: Socket[] = []
  readonly #server: Server
  #wake: () => void = () => {}

  private constructor(isReading: boolean) {
    this.#server = createServer((socket) => {
      const place = this.streams.push(Buffer.alloc(0)) - 1
      this.sockets.push(socket)
      socket.on('error', () => {})
      socket.on('end', () => this.#wake())
      if (isReading) {
        socket.on('data', (bytes: Buffer) => {
          this.streams[place] = Buffer.concat([this.streams[place]!, bytes])
          this.#wake()
        })
      } else socket.pause()
      this.#wake()
    })
  }

  static async open(context: TestContext, port = 0, isReading = true): Promise<ByteListener> {
    const listener = new ByteListener(isReading)
    listener.#server.listen(port, '127.0.0.1')
    await once(listener.#server, 'listening')
    context.after(() => listener.close())
    return listener
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Waits until what has been received satisfies a condition. */
  async until(isMet: () => boolean): Promise<void> {
    while (!isMet()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    if (!this.#server.listening) return
    this.#server.close()
    await once(this.#server, 'close')
  }
}
