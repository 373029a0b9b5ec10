/** A receiver of OTLP/HTTP for tests: keeps what it took, answers as it is told. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { metricsOf, type OtlpMetric, readRequest } from './otlp-messages.ts'

export interface TakenRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** In its JSON form, whatever it came in. */
  readonly request: unknown
  readonly metrics: Map<string, OtlpMetric>
  /** Bytes without compression. */
  readonly size: number
}

export interface CollectorAnswer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: Uint8Array | string
  /** Ends the connection in the middle of a body that was announced as longer. */
  readonly isCut?: boolean
}

export interface Collector {
  readonly url: string
  /** Those answered with 200. */
  readonly taken: TakenRequest[]
  /** Every attempt, by the status that it got. */
  readonly statuses: number[]
  /** Answers of the next requests; then 200 again. */
  readonly answers: CollectorAnswer[]
}

export async function startCollector(t: TestContext): Promise<Collector> {
  const taken: TakenRequest[] = []
  const statuses: number[] = []
  const answers: CollectorAnswer[] = []
  const server = createServer(async (incoming, outgoing) => {
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part as Buffer)
    const raw = Buffer.concat(parts)
    const { headers, url: path = '' } = incoming
    const bytes = headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw
    const isJson = headers['content-type'] === 'application/json'
    const request: unknown = isJson ? JSON.parse(bytes.toString()) : readRequest(bytes)
    const answer: CollectorAnswer = answers.shift() ?? { status: 200 }
    const { status, headers: own, body, isCut } = answer
    statuses.push(status)
    if (status === 200) {
      taken.push({ path, headers, request, metrics: metricsOf(request), size: bytes.length })
    }
    const answerHeaders = { 'Content-Type': headers['content-type'], ...own }
    if (isCut) {
      outgoing.writeHead(status, { ...answerHeaders, 'Content-Length': 100 })
      outgoing.write('half', () => incoming.socket.destroy())
      return
    }
    outgoing.writeHead(status, answerHeaders).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1/metrics`, taken, statuses, answers }
}
