/** Keys of series in Graphite (§4.8), so that no two series of the hub share one. */
import { hashBytes, type Identity, identityKey } from '../../../model/index.ts'
import { graphiteKey } from './flush.ts'

/** Keys whose series may have gone by now, for each that is there; then they are looked through. */
const SWEEP_FACTOR = 2
const SWEEP_LEAST = 1024

interface Owner {
  readonly ref: WeakRef<Identity>
  /** Hash of all that it is. */
  readonly hash: number
}

/**
 * Table of keys. The first series that comes has the key that estatsd would write; another one that
 * cleaning makes equal to it gets a component of 8 hex digits more.
 */
export class GraphiteKeys {
  readonly #keys = new WeakMap<Identity, string>()
  readonly #owners = new Map<string, Owner>()
  #sweepAt = SWEEP_LEAST

  of(identity: Identity): string {
    let key = this.#keys.get(identity)
    if (key === undefined) {
      key = this.#take(identity)
      this.#keys.set(identity, key)
      if (this.#owners.size >= this.#sweepAt) this.#sweep()
    }
    return key
  }

  #take(identity: Identity): string {
    const parts = [identity.name, ...identity.labels.flat().map(componentOf)]
    const key = graphiteKey(parts.join('.')) || '_'
    const raw = identityKey(identity)
    const hash = hashBytes(raw, 0, raw.length) >>> 0
    const place = ownedKey(identity, key)
    const owner = this.#owners.get(place)
    // a series that comes again is another object
    const isTaken = owner !== undefined && owner.hash !== hash && owner.ref.deref() !== undefined
    if (isTaken || identity.nameBytes !== undefined) {
      return `${key}.${hash.toString(16).padStart(8, '0')}`
    }
    this.#owners.set(place, { ref: new WeakRef(identity), hash })
    return key
  }

  #sweep(): void {
    for (const [key, owner] of this.#owners) {
      if (owner.ref.deref() === undefined) this.#owners.delete(key)
    }
    this.#sweepAt = Math.max(SWEEP_LEAST, this.#owners.size * SWEEP_FACTOR)
  }
}

/** Makes the name under which a key is taken: kinds, and the two counters, have trees of theirs. */
function ownedKey({ kind, qualifier }: Identity, key: string): string {
  return `${kind === 'counter' ? (qualifier?.[1] ?? '') : kind} ${key}`
}

/** Makes a label's key or value one component of a path. */
function componentOf(part: string): string {
  return part.replace(/[./\s]/g, '_') || '_'
}
