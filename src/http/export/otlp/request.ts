/** Requests in the making, one at a time: encoded as metrics come, so that the size is known. */
import { joinJson, metricJson } from './json.ts'
import type { OtlpScope, Resource } from './metric.ts'
import { RequestWriter } from './protobuf.ts'
import type { SourcePiece } from './source.ts'

export type Encoding = 'protobuf' | 'json'

export const CONTENT_TYPES: Readonly<Record<Encoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
}

/** Receivers take 4 MiB at least; a request is closed with the piece that reaches these. */
const REQUEST_BYTES = 1_048_576
const REQUEST_POINTS = 5000

export class OtlpRequest {
  readonly #encoding: Encoding
  readonly #resource: Resource
  readonly #writer = new RequestWriter()
  #texts: { scope: OtlpScope; parts: string[] }[] = []
  #textSize = 0
  /** Series whose interval it says. */
  deltas: number[] = []
  points = 0

  constructor(encoding: Encoding, resource: Resource) {
    this.#encoding = encoding
    this.#resource = resource
  }

  /** Forgets what was added. */
  begin(): void {
    this.#writer.begin()
    this.#texts = []
    this.#textSize = 0
    this.deltas = []
    this.points = 0
  }

  get isFull(): boolean {
    return this.points >= REQUEST_POINTS || this.#writer.size + this.#textSize >= REQUEST_BYTES
  }

  add({ metric, deltas }: SourcePiece): void {
    if (this.#encoding === 'json') this.#addText(metric.scope, metricJson(metric))
    else this.#writer.add(metric)
    this.points += metric.points.length
    for (const id of deltas) this.deltas.push(id)
  }

  #addText(scope: OtlpScope, text: string): void {
    this.#textSize += text.length
    const last = this.#texts.at(-1)
    if (last?.scope.name === scope.name) last.parts.push(text)
    else this.#texts.push({ scope, parts: [text] })
  }

  /** Makes the body; valid until the next is asked for. */
  body(): Uint8Array<ArrayBuffer> {
    return this.#encoding === 'json'
      ? Buffer.from(joinJson(this.#resource, this.#texts))
      : this.#writer.request(this.#resource)
  }
}
