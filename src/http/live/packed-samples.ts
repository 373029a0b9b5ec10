/** Samples as they travel (api.ts SampleGroup): columns of doubles, in base64. */
import type { SampleLayout } from '../../hub/live/samples/sample-layout.ts'
import type { SampleSlice } from '../../hub/live/samples/sample-log.ts'
import type { SampleGroup } from '../api.ts'

/** Columns of a layout that some series have, with their ids. */
interface Columns {
  readonly columns: readonly number[]
  readonly ids: readonly number[]
}

/** Columns of series in the layouts that they are found in; as long as these are there. */
export class SampleColumns {
  readonly #ids: readonly number[]
  readonly #known = new WeakMap<SampleLayout, Columns>()

  constructor(ids: readonly number[]) {
    this.#ids = ids
  }

  of(layout: SampleLayout): Columns {
    let found = this.#known.get(layout)
    if (found === undefined) {
      const ids = this.#ids.filter((id) => layout.columnOf(id) >= 0)
      found = { ids, columns: ids.map((id) => layout.columnOf(id)) }
      this.#known.set(layout, found)
    }
    return found
  }
}

/** Packs one group; undefined where none of the series is in the slice. */
export function packGroup(slice: SampleSlice, known: SampleColumns): SampleGroup | undefined {
  const { block, from, to } = slice
  const { columns, ids } = known.of(block.layout)
  if (columns.length === 0) return undefined
  const rows = to - from
  const values = new Float64Array(rows * columns.length)
  for (let i = 0; i < columns.length; i++) {
    const at = columns[i]! * block.times.length
    for (let row = 0; row < rows; row++) values[i * rows + row] = block.values[at + from + row]!
  }
  return { ids, times: base64(block.times.subarray(from, to)), values: base64(values) }
}

function base64({ buffer, byteOffset, byteLength }: Float64Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}
