/** A tool as tests need it: one connection, its reply, and what comes behind. */
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import type { CollectCommand, IpcMessage, IpcReply } from '../codec/ipc/messages.ts'
import { readReply } from '../codec/ipc/read.ts'
import { writeIpc } from '../codec/ipc/write.ts'
import type { EventMessage } from '../codec/message.ts'
import { createDecoder } from '../codec.ts'

export class TestTool {
  readonly socket: Socket
  #bytes: Buffer = Buffer.alloc(0)

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (bytes: Uint8Array) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes])
    })
    socket.on('error', () => {})
  }

  static async connect(path: string): Promise<TestTool> {
    const socket = createConnection({ path, allowHalfOpen: true })
    await once(socket, 'connect')
    return new TestTool(socket)
  }

  /** Sends one command, and gives its reply. */
  static async ask(path: string, message: IpcMessage | Uint8Array): Promise<IpcReply | undefined> {
    const tool = await TestTool.connect(path)
    tool.send(message)
    const reply = await tool.reply()
    tool.socket.destroy()
    return reply
  }

  /** Opens a session of counters. */
  static async collect(path: string, command: Partial<CollectCommand> = {}): Promise<TestTool> {
    const tool = await TestTool.connect(path)
    tool.send(collectCommand(command))
    await tool.reply()
    return tool
  }

  send(message: IpcMessage | Uint8Array): void {
    this.socket.write(message instanceof Uint8Array ? message : writeIpc(message))
  }

  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** Waits for the reply; undefined where the connection ends without one. */
  async reply(): Promise<IpcReply | undefined> {
    await this.until(() => this.#bytes.length >= 20 && this.#bytes.length >= this.#size)
    return this.#bytes.length < 20 ? undefined : readReply(this.#bytes.subarray(0, this.#size))
  }

  get #size(): number {
    return this.#bytes.readUInt16LE(14)
  }

  /** Waits until something is so, or the connection has ended. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo() && !this.socket.readableEnded && !this.socket.closed) {
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'end')]).catch(() => {})
    }
  }

  /** Waits for the end of the connection. */
  async ended(): Promise<void> {
    await this.until(() => false)
    this.socket.destroy()
  }

  /** Reads what has come so far. */
  decoded() {
    const decoder = createDecoder()
    decoder.push(this.#bytes)
    decoder.end()
    const { messages, errors, notes } = decoder
    const events = messages.filter((each): each is EventMessage => 'payload' in (each as object))
    return { events, codes: errors.map(({ code }) => code), notes }
  }

  /** Waits for so many events. */
  async events(count: number): Promise<readonly EventMessage[]> {
    await this.until(() => this.decoded().events.length >= count)
    return this.decoded().events
  }
}

export function collectCommand(command: Partial<CollectCommand> = {}): CollectCommand {
  return {
    ...{ message: 'CollectTracing2', bufferMB: 256, format: 1, rundown: false },
    providers: [wanted('Shop')],
    ...command,
  }
}

/** A provider as dotnet-counters asks for it. */
export function wanted(name: string, seconds = '1') {
  return { keywords: 0, level: 4, name, arguments: `EventCounterIntervalSec=${seconds}` }
}
