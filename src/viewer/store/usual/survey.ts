/** The hub's comparison of series with their usual, as it was last told (api.ts UsualAnswer). */
import type { UsualAnswer } from '../../../http/api.ts'
import type { Baseline } from '../../../model/usual.ts'

/** Words of the hub on one series; NaN where too little is known. */
export interface Compared extends Baseline {
  readonly recent: number
  readonly rate: number
  /** Unix second since which it is unusual; 0 while it is not. */
  readonly since: number
}

export class Survey {
  /** Series of which it tells. */
  readonly ids: Uint32Array
  /** Series that are unusual, by the hub's ten seconds. */
  readonly unusual: readonly number[]
  readonly #endS: number
  readonly #places = new Map<number, number>()
  readonly #stale: ReadonlySet<number>
  readonly #recent: Float32Array
  readonly #usual: Float32Array
  readonly #spread: Float32Array
  readonly #rate: Float32Array
  readonly #unusualS: Float32Array

  constructor(answer: UsualAnswer) {
    this.ids = new Uint32Array(bytesOf(answer.ids))
    this.ids.forEach((id, place) => {
      this.#places.set(id, place)
    })
    this.#endS = (answer.endMs ?? 0) / 1000
    this.#stale = new Set(new Uint32Array(bytesOf(answer.stale)))
    this.#recent = new Float32Array(bytesOf(answer.recent))
    this.#usual = new Float32Array(bytesOf(answer.usual))
    this.#spread = new Float32Array(bytesOf(answer.spread))
    this.#rate = new Float32Array(bytesOf(answer.rate))
    this.#unusualS = new Float32Array(bytesOf(answer.unusualS))
    this.unusual = [...this.ids].filter((_, place) => this.#unusualS[place]! > 0)
  }

  /** Tells whether of any series it is known what is usual: of a new hub it is not. */
  knowsUsual(): boolean {
    return this.#usual.some((usual) => !Number.isNaN(usual))
  }

  isStale(id: number): boolean {
    return this.#stale.has(id)
  }

  get(id: number): Compared | undefined {
    const place = this.#places.get(id)
    if (place === undefined) return undefined
    const unusualS = this.#unusualS[place]!
    return {
      recent: this.#recent[place]!,
      usual: this.#usual[place]!,
      spread: this.#spread[place]!,
      rate: this.#rate[place]!,
      since: unusualS > 0 ? this.#endS - unusualS : 0,
    }
  }
}

function bytesOf(base64: string): ArrayBuffer {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i)
  return bytes.buffer
}
