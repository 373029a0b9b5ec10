/**
 * One object for metadata that are equal: most series of a dialect and a type have the same, so a
 * series costs a reference.
 */
import type { Metadata } from '../../model/index.ts'

/** Different metadata that are looked through; beyond them the oldest is forgotten, and costs. */
const KEPT = 32
/** All that metadata may have. */
const FIELDS = Object.keys({
  dialect: true,
  type: true,
  exportSuffix: true,
  sourceLabel: true,
  displayName: true,
  unit: true,
  description: true,
  rateTimeScaleS: true,
  lacksSum: true,
  bounds: true,
  plot: true,
  color: true,
} satisfies Record<keyof Metadata, true>) as readonly (keyof Metadata)[]

export class MetadataPool {
  readonly #kept: Metadata[] = []
  #oldest = 0
  /** Metadata shared last, as given and as found: series of one batch have one object. */
  #given: Metadata | undefined
  #found: Metadata | undefined

  /** Finds the object for these metadata, which are not to be changed from here on. */
  share(metadata: Metadata): Metadata {
    if (metadata !== this.#given || this.#found === undefined) {
      this.#found = this.#find(metadata)
      this.#given = metadata
    }
    return this.#found
  }

  #find(metadata: Metadata): Metadata {
    for (const kept of this.#kept) if (isSameMetadata(kept, metadata)) return kept
    if (this.#kept.length < KEPT) this.#kept.push(metadata)
    else {
      this.#kept[this.#oldest] = metadata
      this.#oldest = (this.#oldest + 1) % KEPT
    }
    return metadata
  }
}

export function isSameMetadata(a: Metadata, b: Metadata): boolean {
  if (a === b) return true
  for (const field of FIELDS) {
    if (a[field] !== b[field] && !isSameList(a[field], b[field])) return false
  }
  return true
}

function isSameList(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
  return a.every((each, i) => each === b[i])
}
