/** Seconds for a history made of plain cells, as a hub would tell them. */
import type { ClosedSecond, SeriesDefinition } from '../../src/history/store.ts'
import { type Cell, type Identity, identityKey } from '../../src/model/index.ts'
import { HistogramPacker } from '../../src/model/packed/packed-histogram.ts'

export const START_S = 1_700_000_000 - (1_700_000_000 % 3600)

export interface NamedCell {
  readonly identity: Identity
  readonly cell: Cell
}

/** A hub's side of a store: gives refs to series, and tells each once. */
export class SecondMaker {
  readonly #refs = new Map<string, number>()
  #lastRef: number

  /** @param lastRef number before the first ref that is given */
  constructor(lastRef = 0) {
    this.#lastRef = lastRef
  }

  /** Makes the second that ends at `endS`. */
  second(endS: number, cells: readonly NamedCell[], ended: readonly Identity[] = []): ClosedSecond {
    const defined: SeriesDefinition[] = []
    const ref = (identity: Identity): number => {
      const key = identityKey(identity)
      const name = Buffer.from(key).toString('latin1')
      let known = this.#refs.get(name)
      if (known === undefined) {
        known = ++this.#lastRef
        this.#refs.set(name, known)
        defined.push({ ref: known, key, metadata: { dialect: 'test' }, origin: 'here' })
      }
      return known
    }
    for (const { identity } of cells) ref(identity)
    const sorted = [...cells].sort((a, b) => ref(a.identity) - ref(b.identity))
    const of = <K extends Cell['kind']>(kind: K) => {
      return sorted.flatMap(({ identity, cell }) => {
        return cell.kind === kind
          ? [{ ref: ref(identity), cell: cell as Extract<Cell, { kind: K }> }]
          : []
      })
    }
    const [counters, gauges] = [of('counter'), of('gauge')]
    const [histograms, summaries] = [of('histogram'), of('summary')]
    const refs = (list: readonly { readonly ref: number }[]) =>
      Uint32Array.from(list, (each) => each.ref)
    const wide = (list: readonly (number | bigint)[]) => {
      return new Map(
        list.flatMap((value, row) => (typeof value === 'bigint' ? [[row, value]] : [])),
      )
    }
    const packer = new HistogramPacker()
    const places = Uint32Array.from(histograms, ({ cell }) => packer.add(cell.histogram))
    const deltas = counters.map(({ cell }) => cell.delta)
    const values = gauges.map(({ cell }) => cell.value)
    const endedRefs = ended.map(ref)
    return {
      endS,
      seconds: 1,
      defined,
      ended: endedRefs,
      counters: {
        refs: refs(counters),
        deltas: Float64Array.from(deltas, Number),
        wide: wide(deltas),
      },
      gauges: {
        refs: refs(gauges),
        values: Float64Array.from(values, Number),
        wide: wide(values),
        spreads: new Map(
          gauges.flatMap(({ cell: { spread } }, row) => {
            if (spread === undefined) return []
            return [[row, [spread.first, spread.min, spread.max, spread.count]] as const]
          }),
        ),
      },
      histograms: { refs: refs(histograms), places, packed: packer.packed().parts },
      summaries: { refs: refs(summaries), cells: summaries.map(({ cell }) => cell.summary) },
    }
  }

  /** Forgets all refs: what comes again is another series. */
  restart(): void {
    this.#refs.clear()
  }
}
