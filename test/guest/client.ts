/** The sending side: what the hub closes each second, as lines over one connection. */
import { connect, type Socket } from 'node:net'
import type { ClientContext, Emitter, Target } from '../../src/dialects/endpoints.ts'
import type { Cell, Identity } from '../../src/model/index.ts'
import { lineOf } from './codec.ts'
import { messageOf } from './map.ts'

/** Pause before a lost connection is tried again. */
const RECONNECT_MS = 1000
/** What waits for a slow receiver, bytes; above it lines are dropped and counted. */
const WAITING_BYTES_LIMIT = 1_048_576

export function connectEmitter(target: Target, context: ClientContext): Emitter {
  return new SemaphoreEmitter(target, context)
}

class SemaphoreEmitter implements Emitter {
  readonly #target: Target
  readonly #context: ClientContext
  readonly #prefix: string
  #socket: Socket
  #cancelRetry: () => void = () => {}
  #isClosed = false

  constructor(target: Target, context: ClientContext) {
    this.#target = target
    this.#context = context
    const { prefix = '' } = context.options.emit as { readonly prefix?: string }
    this.#prefix = prefix
    this.#socket = this.#connect()
  }

  #connect(): Socket {
    const { host, port } = this.#target
    const socket = connect({ host, port })
    socket.on('error', (error) => {
      this.#context.reports.log('warn', 'relay link failed, trying again', { error: error.message })
    })
    socket.once('close', () => {
      if (this.#isClosed) return
      this.#cancelRetry = this.#context.clock.after(RECONNECT_MS, () => {
        this.#socket = this.#connect()
      })
    })
    return socket
  }

  send(identity: Identity, cell: Cell): void {
    const message = messageOf(identity, cell, this.#prefix)
    const socket = this.#socket
    if (message === undefined) {
      this.#context.reports.count('emit', 'kind_not_said')
    } else if (socket.destroyed || socket.writableLength > WAITING_BYTES_LIMIT) {
      this.#context.reports.count('emit', 'dropped')
    } else {
      this.#write(socket, message)
    }
  }

  #write(socket: Socket, message: Parameters<typeof lineOf>[0]): void {
    try {
      socket.write(lineOf(message))
    } catch (error) {
      this.#context.reports.count('emit', (error as { code: string }).code)
    }
  }

  async flush(): Promise<void> {}

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelRetry()
    if (this.#socket.connecting || this.#socket.destroyed) this.#socket.destroy()
    else await new Promise<void>((resolve) => this.#socket.end(() => resolve()))
  }
}
