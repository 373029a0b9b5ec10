/**
 * What a hub sends to, counting for itself: a receiver of relayed lines, one of Wallaroo's windows
 * and one of OTLP.
 */
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { WallarooServer } from '../../src/dialects/wallaroo/server.ts'
import { metricsOf, readRequest } from '../support/outputs/otlp-messages.ts'
import { Ledger } from './clients/ledger.ts'

export interface Receiver {
  readonly port: number
  /** Sums of what came, by the names it came under. */
  readonly sums: Ledger
  close(): Promise<void>
}

/** Starts a receiver of Stats Hero by TCP; sums are by the first word of a key, up to a `-`. */
export async function receiveLines(): Promise<Receiver> {
  const sums = new Ledger()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let rest: Buffer = Buffer.alloc(0)
    socket.on('data', (bytes: Buffer) => {
      rest = takePackets(Buffer.concat([rest, bytes]), sums)
    })
  })
  const port = await listen(server)
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  return { port, sums, close }
}

/** Reads whole packets. @returns what is left of the last one */
function takePackets(bytes: Buffer, sums: Ledger): Buffer {
  let start = 0
  for (;;) {
    const feed = bytes.indexOf(0x0a, start)
    if (feed < 0) return bytes.subarray(start)
    const length = Number(bytes.toString('latin1', start + 2, feed))
    const next = feed + 1 + length
    if (next > bytes.length) return bytes.subarray(start)
    for (const line of bytes.toString('utf8', feed + 1, next).split('\n')) takeLine(line, sums)
    start = next
  }
}

function takeLine(line: string, sums: Ledger): void {
  const [, key = '', value = '', type, rate = '1'] =
    /^(.*):(.*?)\|(\w+)(?:\|@(.*))?$/.exec(line) ?? []
  const name = key.split('-')[0]!
  if (type === 'mr') sums.set(name, Number(value))
  if (type === 'm') sums.add(name, Number(value))
  if (type === 'h') sums.add(name, Math.round(1 / Number(rate)))
}

/** Starts a receiver of windows; sums are messages by the application, up to a `-`. */
export async function receiveWindows(): Promise<Receiver> {
  const sums = new Ledger()
  const server = new WallarooServer({
    port: 0,
    onWindow: ({ application, total }) => {
      sums.add(application.split('-')[0]!, Number(total))
    },
  })
  await server.start()
  return { port: server.port, sums, close: () => server.close() }
}

/** Starts a receiver of OTLP; sums are of the points of counters, by the metric's name. */
export async function receiveOtlp(): Promise<Receiver> {
  const sums = new Ledger()
  const server = createHttpServer(async (incoming, outgoing) => {
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part as Buffer)
    const isPacked = incoming.headers['content-encoding'] === 'gzip'
    const bytes = isPacked ? gunzipSync(Buffer.concat(parts)) : Buffer.concat(parts)
    for (const [name, { kind, points }] of metricsOf(readRequest(bytes))) {
      if (kind !== 'sum') continue
      for (const { asInt, asDouble } of points) sums.add(name, Number(asInt ?? asDouble))
    }
    outgoing.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end()
  })
  const port = await listen(server)
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { port, sums, close }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
