/**
 * Where the metrics of one writer are, for zone-host.wat: a private memory with a cell of an i32
 * for each id, which the module fills and this object empties. All filters that write through the
 * writer share it. A place is good
 *
 *   - until its metric is released: the writer says so, at once
 *   - until the writer moves or detaches: it says so, and no place is given any more
 *   - until another thread retires the metric, which it may only after this thread's release; a
 *     thread that was not asked finds the generation changed at its next callback
 *
 * Only the writer's thread reads and writes the cells.
 */

import { wasm } from '../../../arena/wasm.ts'
import type { WasmMemory } from '../../../shm/index.ts'
import { HEADER } from '../../../shm/layout.ts'
import type { PlaceKeeper, Writer } from '../../../shm/writer.ts'

/** Ids that have a cell: more than a zone has by default. The way to others is gone each time. */
const IDS = 0x10_0000
/** Size of the cells and the word behind them, in pages of 64 KiB; costs what is touched of it. */
const PAGES = (IDS * 4) / 65_536 + 1
/** Mark in the word behind the cells: no place is given any more. */
const CLOSED = -1

export class SlotPlaces implements PlaceKeeper {
  /** The cells; then the highest id with a place, or CLOSED. */
  readonly memory: { readonly buffer: ArrayBuffer }
  /** The zone's memory that the places are in. */
  readonly zone: WasmMemory
  readonly #cells: Int32Array
  readonly #header: Int32Array
  #generation: number

  private constructor(zone: WasmMemory) {
    this.zone = zone
    this.memory = new wasm.Memory({ initial: PAGES, maximum: PAGES })
    this.#cells = new Int32Array(this.memory.buffer)
    this.#header = new Int32Array(zone.buffer, 0, HEADER.generation + 1)
    this.#generation = Atomics.load(this.#header, HEADER.generation)
  }

  /** @returns undefined where the writer's segment is in no memory that wasm can address */
  static of(writer: Writer): SlotPlaces | undefined {
    const { keeper } = writer
    if (keeper instanceof SlotPlaces) return keeper
    const { shared } = writer.place.memory
    if (!writer.isAttached || shared instanceof SharedArrayBuffer) return undefined
    const places = new SlotPlaces(shared)
    writer.keeper = places
    return places
  }

  /** Forgets all cells when the zone's generation has moved; to be called before each callback. */
  check(): void {
    const generation = Atomics.load(this.#header, HEADER.generation)
    if (generation === this.#generation) return
    this.#generation = generation
    if (this.#cells[IDS] !== CLOSED) this.#empty(0)
  }

  release(metric: number): void {
    if (metric + 1 < IDS) this.#cells[metric + 1] = 0
  }

  leave(): void {
    this.#empty(CLOSED)
  }

  #empty(highest: number): void {
    this.#cells.fill(0, 0, this.#cells[IDS]! + 1)
    this.#cells[IDS] = highest
  }
}
