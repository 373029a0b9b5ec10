/**
 * Places that peers take, by their addresses: who has to make room when all are taken. No address
 * keeps another one out, however many places it takes and whatever it does in them:
 *
 * 1. A newcomer whose address has fewer places, by two at least, than the one that has most, gets
 *    the place of that one's least deserving member.
 * 2. Otherwise an idle member makes room: one of the newcomer's own address, or else one of an
 *    address that has more places than its own.
 * 3. Otherwise the newcomer is refused.
 *
 * The address that lost a place has then still as many as the one that got it, so equal shares are
 * stable: peers that come back can't take the place again.
 */

/** Idleness of a member in its place; of two that do as little, the longer silent one goes. */
export const Idleness = Object.freeze({
  /** It works: it only has to go for the sake of an address that has fewer places. */
  working: 0,
  /** It does nothing, or waits for its peer. */
  idle: 1,
  /** It has never done anything. */
  unproven: 2,
})
export type Idleness = (typeof Idleness)[keyof typeof Idleness]

/** Members that are looked at for one newcomer, at most: of one address, and of several. */
const LOOKS_LIMIT = 1024

interface SharesParts<Member, Address> {
  idleness(member: Member): Idleness
  /** Measures for how long it has come no further; any unit. */
  silence(member: Member): number
  /** Counts the places of an address, where those here are not all. */
  count?(address: Address): number
}

export class Shares<Member, Address = string> {
  readonly #parts: SharesParts<Member, Address>
  readonly #addresses = new Map<Member, Address>()
  /** Members of each address, in the order in which they came. */
  readonly #members = new Map<Address, Set<Member>>()
  /** Addresses by the number of their members here; the last one is not empty, but the first is. */
  readonly #byCount: Set<Address>[] = [new Set()]

  constructor(parts: SharesParts<Member, Address>) {
    this.#parts = parts
  }

  get size(): number {
    return this.#addresses.size
  }

  has(member: Member): boolean {
    return this.#addresses.has(member)
  }

  /** Lists members in the order in which they came. */
  members(): IterableIterator<Member> {
    return this.#addresses.keys()
  }

  /** Counts the places of an address. */
  count(address: Address): number {
    return this.#parts.count?.(address) ?? this.#members.get(address)?.size ?? 0
  }

  /** Lists the members of an address, in the order in which they came. */
  membersOf(address: Address): Iterable<Member> {
    return this.#members.get(address) ?? []
  }

  /** Lists addresses that have members. */
  addresses(): IterableIterator<Address> {
    return this.#members.keys()
  }

  /** Number of addresses that have members. */
  get addressCount(): number {
    return this.#members.size
  }

  /** Most places that one address has. */
  get most(): number {
    return this.#byCount.length - 1
  }

  add(member: Member, address: Address): void {
    if (this.has(member)) return
    this.#addresses.set(member, address)
    const members = this.#members.get(address) ?? new Set()
    this.#members.set(address, members)
    members.add(member)
    this.#move(address, members.size - 1, members.size)
  }

  /** @returns false where it had no place */
  delete(member: Member): boolean {
    const address = this.#addresses.get(member)
    if (address === undefined) return false
    this.#addresses.delete(member)
    const members = this.#members.get(address)!
    members.delete(member)
    this.#move(address, members.size + 1, members.size)
    if (members.size === 0) this.#members.delete(address)
    return true
  }

  #move(address: Address, from: number, to: number): void {
    const byCount = this.#byCount
    byCount[from]!.delete(address)
    byCount[to] ??= new Set()
    if (to > 0) byCount[to].add(address)
    while (byCount.length > 1 && byCount.at(-1)!.size === 0) byCount.pop()
  }

  /**
   * Finds the member that makes room for one more of an address, when all places are taken.
   * @param ofIdle whether only idle ones may have to go
   */
  yielding(address: Address, ofIdle = false): Member | undefined {
    const own = this.count(address)
    const most = this.#heaviest()
    if (most !== undefined && this.count(most) >= own + 2) {
      const found = this.#least(this.#members.get(most)!)
      if (!ofIdle || this.#isIdle(found)) return found
    }
    return this.idleOf(address) ?? this.#idleOfOthers(own)
  }

  /** Finds the member that makes room when all places are taken that its address may have. */
  idleOf(address: Address): Member | undefined {
    const members = this.#members.get(address)
    const found = members && this.#least(members)
    return this.#isIdle(found) ? found : undefined
  }

  #isIdle(member: Member | undefined): boolean {
    return member !== undefined && this.#parts.idleness(member) > Idleness.working
  }

  /** Finds the address with most places; where others hold some of them, of the largest here. */
  #heaviest(): Address | undefined {
    const { count } = this.#parts
    let looks = 0
    let heaviest: Address | undefined
    for (let i = this.most; i > 0; i--) {
      for (const address of this.#byCount[i]!) {
        if (count === undefined) return address
        if (heaviest === undefined || count(address) > count(heaviest)) heaviest = address
        if (++looks === LOOKS_LIMIT) return heaviest
      }
    }
    return heaviest
  }

  #idleOfOthers(own: number): Member | undefined {
    let looks = 0
    let found: Member | undefined
    for (let i = this.most; i > 0; i--) {
      for (const address of this.#byCount[i]!) {
        if (this.count(address) <= own) {
          if (this.#parts.count === undefined) return found
        } else {
          const least = this.#least(this.#members.get(address)!)
          if (this.#isIdle(least) && (found === undefined || this.#isLess(least, found))) {
            found = least
          }
        }
        looks += i
        if (looks >= LOOKS_LIMIT) return found
      }
    }
    return found
  }

  #least(members: Iterable<Member>): Member {
    let found: Member | undefined
    let looks = 0
    for (const each of members) {
      if (found === undefined || this.#isLess(each, found)) found = each
      if (++looks === LOOKS_LIMIT) break
    }
    return found!
  }

  #isLess(one: Member, other: Member): boolean {
    const { idleness, silence } = this.#parts
    const difference = idleness(one) - idleness(other)
    return difference > 0 || (difference === 0 && silence(one) > silence(other))
  }
}
