/** Progress of long work: a line of stderr that is written over, where a person looks on. */

/** Time between two writings, ms. */
const EVERY_MS = 200

export class Progress {
  readonly #verb: string
  #nextMs = 0
  #isShown = false

  /** @param verb what is done: `exporting` */
  constructor(verb: string) {
    this.#verb = verb
  }

  /** @param share part that is done, 0 to 1; undefined where nothing knows the whole */
  show(share: number | undefined, done = ''): void {
    if (!process.stderr.isTTY || performance.now() < this.#nextMs) return
    this.#nextMs = performance.now() + EVERY_MS
    const percent = share === undefined ? '' : ` ${Math.floor(100 * share)} %`
    process.stderr.write(`\r\x1b[K${this.#verb}${percent}${done === '' ? '' : `, ${done}`}`)
    this.#isShown = true
  }

  /** Takes the line away. */
  end(): void {
    if (this.#isShown) process.stderr.write('\r\x1b[K')
    this.#isShown = false
  }
}

/** Counts of a noun, with digits in groups. */
export function countText(count: number, noun: string): string {
  return `${count.toLocaleString('en').replaceAll(',', ' ')} ${noun}`
}

export function bytesText(bytes: number): string {
  let value = bytes
  let unit = 0
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}
