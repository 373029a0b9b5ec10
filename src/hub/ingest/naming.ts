/**
 * From a wire key to the series that is defined: by the key's bytes alone where the dialect says
 * that a series is nothing but these, or else as the dialect describes it.
 */
import type { Describe, SeriesForm } from '../../dialects/ingest.ts'
import { describeSeries } from '../../model/index.ts'
import { NamedKeys } from '../../model/named-keys.ts'
import { type KeyedSeries, type NewSeries, WINDOWED } from './definition.ts'

export class Naming {
  readonly #keysByForm = new WeakMap<SeriesForm, NamedKeys>()
  /** Form used last, and its keys: series that come together mostly have the same. */
  #form: SeriesForm | undefined
  #keys: NamedKeys | undefined

  /** Makes the series of the key in bytes[start, end); valid until the next one is made. */
  seriesOf(
    bytes: Uint8Array,
    start: number,
    end: number,
    type: number,
    describe: Describe,
    source: string,
  ): NewSeries | KeyedSeries {
    const form = describe.formOf?.(bytes, start, end, type)
    if (form === undefined) {
      const { isWindowed, ...series } = describe(copyBytes(bytes, start, end), type)
      return { ...series, source, ...(isWindowed === true && { storage: WINDOWED }) }
    }
    return {
      kind: form.kind,
      key: this.#keysOf(form).of(bytes, start, end),
      nameLength: end - start,
      metadata: form.metadata,
      source,
      isCumulative: form.isCumulative === true,
    }
  }

  #keysOf(form: SeriesForm): NamedKeys {
    if (form !== this.#form || this.#keys === undefined) {
      this.#keys = this.#keysByForm.get(form) ?? new NamedKeys(form)
      this.#keysByForm.set(form, this.#keys)
      this.#form = form
    }
    return this.#keys
  }
}

/** Names the series of a key for people. */
export function nameOf(
  bytes: Uint8Array,
  start: number,
  end: number,
  type: number,
  describe: Describe,
): string {
  return describeSeries(describe(copyBytes(bytes, start, end), type).identity)
}

/** Copies bytes: `slice` of a Buffer would keep the whole read alive. */
function copyBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return new Uint8Array(bytes.subarray(start, end))
}
