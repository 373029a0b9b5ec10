/**
 * Live counters by what tells them apart (eventcounters.md §7.1): source, name and pairs. Two of
 * one identity are allowed, though no receiver can tell them apart.
 */
import type { Member } from './members.ts'

export class Identities {
  /**
   * Members under what they were when they were last looked at: pairs may have been added since.
   */
  readonly #living = new Map<string, Set<Member>>()
  readonly #ofMember = new WeakMap<Member, string>()

  /** @returns whether it is the second of its identity, the one to warn of */
  add(member: Member): boolean {
    const identity = identityOf(member)
    const alike = this.#living.get(identity)
    // Only a second one is warned of: among more it does not matter who has changed.
    if (alike?.size === 1) for (const other of alike) this.#place(other, identityOf(other))
    this.#place(member, identity)
    return this.#living.get(identity)?.size === 2
  }

  remove(member: Member): void {
    const identity = this.#ofMember.get(member)
    if (identity === undefined) return
    const alike = this.#living.get(identity)
    alike?.delete(member)
    if (alike?.size === 0) this.#living.delete(identity)
  }

  #place(member: Member, identity: string): void {
    this.remove(member)
    const alike = this.#living.get(identity)
    if (alike === undefined) this.#living.set(identity, new Set([member]))
    else alike.add(member)
    this.#ofMember.set(member, identity)
  }
}

function identityOf({ counter }: Member): string {
  const { provider, name, metaData } = counter.description
  const pairs = metaData.map(([key, value]) => [key, value].join('\0')).sort()
  return [provider.toLowerCase(), name, ...pairs].join('\0')
}
