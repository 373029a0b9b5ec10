/** The receiving side: datagrams and connections into the ingest. Nothing is ever written back. */
import type { Socket } from 'node:net'
import type {
  ConnectionProgress,
  DialectServer,
  Peer,
  PeerConnection,
  ServerContext,
} from '../../src/dialects/endpoints.ts'
import type { LineIngest } from '../../src/dialects/ingest.ts'
import { LineScanner, type LineVisitor } from './codec.ts'
import { takeLine } from './map.ts'
import { type ErrorCode, NAME } from './spec.ts'

/** Bytes of an offending line that a report keeps. */
const REPORT_BYTES = 128

export function createServer(context: ServerContext): DialectServer {
  return new SemaphoreServer(context)
}

class SemaphoreServer implements DialectServer {
  readonly #context: ServerContext
  readonly #maxLineBytes: number
  readonly #connections = new Map<Socket, PeerConnection>()

  constructor(context: ServerContext) {
    this.#context = context
    this.#maxLineBytes = context.options.maxLineBytes as number
  }

  datagram(bytes: Uint8Array, peer: Peer): void {
    const scanner = this.#scannerFor(peer)
    scanner.push(bytes)
    scanner.end()
  }

  accept(socket: Socket, first: Uint8Array): ConnectionProgress {
    const { remoteAddress: address = '', remotePort: port = 0 } = socket
    const peer: Peer = { transport: 'tcp', address, port }
    const scanner = this.#scannerFor(peer)
    this.#connections.set(socket, { peer, sinceMs: this.#context.clock.wallMs(), facts: {} })
    scanner.push(first)
    socket.on('data', (bytes: Uint8Array) => scanner.push(bytes))
    socket.once('end', () => {
      scanner.end()
      socket.end()
    })
    socket.once('error', () => socket.destroy())
    socket.once('close', () => this.#connections.delete(socket))
    if (socket.readableEnded) socket.emit('end')
    else socket.resume()
    return {
      get messages() {
        return scanner.lines
      },
      get isInsideMessage() {
        return scanner.isInsideLine
      },
      get bytesHeld() {
        return scanner.bytesHeld
      },
      isTimed: false,
    }
  }

  #scannerFor(peer: Peer): LineScanner {
    const { ingest, reports } = this.#context
    ingest.begin(peer.address)
    const visitor: LineVisitor = {
      line: (...line) => takeFrom(ingest, peer, line),
      reject: (code: ErrorCode, line, offset) => {
        const error = { dialect: NAME, code, offset, resync: true }
        reports.decodeError(error, line.subarray(0, REPORT_BYTES), peer, `line is a ${code}`)
      },
    }
    return new LineScanner(this.#maxLineBytes, visitor)
  }

  connections(): readonly PeerConnection[] {
    return [...this.#connections.values()]
  }

  async stop(): Promise<void> {
    for (const socket of this.#connections.keys()) socket.destroy()
  }
}

function takeFrom(ingest: LineIngest, peer: Peer, line: Parameters<LineVisitor['line']>): void {
  ingest.begin(peer.address)
  takeLine(ingest, ...line)
}
