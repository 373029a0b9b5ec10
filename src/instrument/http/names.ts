/** Texts of requests as label values, within bounds: what a peer makes up is no series. */

/** Methods that keep their name, as OpenTelemetry's conventions say; all others are `_OTHER`. */
export const METHODS: readonly string[] = [
  ...['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH', 'QUERY'],
  '_OTHER',
]
const KNOWN: ReadonlySet<string> = new Set(METHODS)

/** Gives the method where it is a known one, else `_OTHER`. */
export function knownMethod(method: string | undefined): string {
  return method !== undefined && KNOWN.has(method) ? method : Names.OTHER
}

/** Length of one, UTF-16 units; what is longer is cut. */
const LENGTH_MAX = 200

/** Names of one kind, so many of them and no more. */
export class Names {
  /** Name that stands for those beyond a limit. */
  static readonly OTHER = '_OTHER'
  readonly #limit: number
  readonly #taken = new Map<string, string>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Gives the name as a label has it; undefined for a new one beyond the limit. */
  take(text: string): string | undefined {
    const known = this.#taken.get(text)
    if (known !== undefined) return known
    const name = text.slice(0, LENGTH_MAX).toWellFormed().replaceAll('\0', '')
    if (this.#taken.size >= this.#limit) return undefined
    this.#taken.set(text, name)
    return name
  }
}
