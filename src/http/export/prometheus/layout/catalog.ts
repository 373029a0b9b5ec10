/**
 * All families of an exposition, kept as series come, change and leave. Of a family that is one
 * plain series (plain-names.ts) only the hash of its name and the number of the series are kept,
 * some 24 bytes; its text is made again by every scrape. All others have their text in a
 * {@link Family}. Who wants a name that another one wants too is found by these hashes, and settled
 * among those alone (collisions.ts).
 */
import { labelText } from '../../../../exposition/text.ts'
import type { SeriesRecord } from '../../../../hub/series/record.ts'
import { sorted, type Task } from '../../../../hub/tasks/task.ts'
import type { SeriesList } from '../../../../hub/view.ts'
import { compareUtf8, KINDS, type Kind } from '../../../../model/index.ts'
import { ROWS_PER_STEP } from '../../../pieces.ts'
import { type Entry, separateFamilies, separateRows } from './collisions.ts'
import {
  type Family,
  type LayoutOptions,
  plainFamily,
  type Row,
  toFamily,
  toRow,
  type Wanted,
  wantedFamilies,
} from './families.ts'
import type { Conflict, KeptGroup, Rival, Shown, ShownRow } from './groups.ts'
import { HashTable } from './hash-table.ts'
import { NameHash } from './name-hash.ts'
import { PlainList } from './plain-list.ts'
import { PlainNames } from './plain-names.ts'

/** Series taken in between two pauses; one in contest costs as much as several plain ones. */
const SERIES_PER_STEP = 16
const ENCODER = new TextEncoder()
const NO_RIVALS: readonly Rival[] = []
const NO_ENTRIES: ReadonlySet<Entry> = new Set()
const NONE: readonly number[] = []

export class Catalog {
  readonly #series: SeriesList
  readonly #options: LayoutOptions
  readonly #suffixes = ['']
  readonly #names: PlainNames
  /** Reader of a second name at the same time. */
  readonly #rivalNames: PlainNames
  readonly #hash = new NameHash()
  /**
   * Numbers of families by their names: twice the place of a plain one, twice the number of a group
   * and 1.
   */
  readonly #table = new HashTable()
  #plain = new PlainList()
  readonly #groups = new Map<string, KeptGroup>()
  readonly #numbered: (KeptGroup | undefined)[] = []
  readonly #freeNumbers: number[] = []
  /** Groups of the series that have some. */
  readonly #groupsOf = new Map<number, readonly KeptGroup[]>()
  /** Series that are to be put in again, as their metadata has changed. */
  readonly #changed = new Set<number>()
  /** Id of the newest series in it. */
  #lastId = -1
  /** Groups whose families are to be made or extended. */
  readonly #stale = new Set<KeptGroup>()
  /** Groups that want a name that another one wants or wanted. */
  readonly #contenders = new Set<KeptGroup>()
  /** Hashes of the names that the outcome of their contest depends on. */
  #tried = new Set<number>()
  #isUnsettled = false
  /** Families in their order, as shown. */
  #families: readonly Family[] = []
  /** Families that come behind these. */
  #added: Family[] = []
  /** Whether more has changed than that some come behind. */
  #isReordered = false
  /** Groups with series whose labels were changed. */
  readonly #relabelled = new Set<KeptGroup>()
  #conflicts: ReadonlyMap<number, Conflict> = new Map()

  constructor(series: SeriesList, options: LayoutOptions) {
    this.#series = series
    this.#options = options
    this.#names = this.plainNames()
    this.#rivalNames = this.plainNames()
    series.watch({
      leaves: (record) => this.#leave(record),
      changes: (record) => {
        const isAgain = this.#changed.has(record.id)
        if (this.#leave(record) || isAgain) this.#changed.add(record.id)
      },
    })
  }

  /** Makes a reader of the names of plain series. */
  plainNames(): PlainNames {
    return new PlainNames(this.#series, this.#options, this.#suffixes)
  }

  /** Series whose name or labels had to be changed because of another one, as shown last. */
  get conflicts(): ReadonlyMap<number, Conflict> {
    return this.#conflicts
  }

  /**
   * Finds the families that a series is shown in, with its row in each, as of the last update; none
   * for one that came later.
   */
  shownOf(record: SeriesRecord): readonly ShownRow[] {
    const groups = this.#groupsOf.get(record.id)
    if (groups === undefined) {
      const place = this.#plain.placeOf(record.id)
      if (place < 0 || !this.#plain.has(place)) return []
      const family = plainFamily(record, this.#options)
      return [{ family, row: family.rows[0]! }]
    }
    return groups.flatMap(({ family }) => {
      const rows = family?.rows.filter((row) => row.record.id === record.id) ?? []
      return rows.map((row) => ({ family: family!, row }))
    })
  }

  /** Brings it up to date with all series that are there now. */
  *update(): Task<Shown> {
    const { revision, lastId } = this.#series
    yield* this.#dropLeft()
    let count = 0
    for (const id of this.#changed) {
      this.#changed.delete(id)
      const record = this.#series.get(id)
      if (record !== undefined && this.#series.isListed(record)) this.#add(record)
      if (++count % SERIES_PER_STEP === 0) yield
    }
    while (this.#lastId < lastId) {
      const record = this.#series.get(++this.#lastId)
      if (record !== undefined && this.#series.isListed(record)) this.#add(record)
      if (++count % SERIES_PER_STEP === 0) yield
    }
    if (this.#stale.size > 0 || this.#isUnsettled || this.#isReordered) yield* this.#makeFamilies()
    this.#compact()
    return { revision, plain: this.#plain.copy(), families: this.#families }
  }

  /** Takes a series out; its groups are made again with the next update. */
  #leave(record: SeriesRecord): boolean {
    this.#changed.delete(record.id)
    if (record.id > this.#lastId) return false
    const groups = this.#groupsOf.get(record.id)
    if (groups === undefined) return this.#leavePlain(record)
    this.#groupsOf.delete(record.id)
    for (const group of groups) {
      group.left.add(record.id)
      this.#stale.add(group)
    }
    return true
  }

  #leavePlain(record: SeriesRecord): boolean {
    const place = this.#plain.placeOf(record.id)
    if (place < 0 || !this.#plain.has(place)) return false
    this.#removePlain(place, record)
    if (this.#isTried(this.#names.type)) this.#isUnsettled = true
    return true
  }

  /** Takes a plain series out of table and list; its name is the one that was hashed last then. */
  #removePlain(place: number, record: SeriesRecord): void {
    const names = this.#names
    names.read(record)
    this.#hash.read(names.bytes, names.length)
    this.#table.delete(this.#hash.own, 2 * place)
    this.#plain.remove(place)
  }

  #add(record: SeriesRecord): void {
    if (!this.#addPlain(record)) this.#addToGroups(record, wantedFamilies(record, this.#options))
  }

  /** Adds a series as one that is all of its family; false where it is not. */
  #addPlain(record: SeriesRecord): boolean {
    const names = this.#names
    if (!names.read(record)) return false
    if (this.#rivals(names.bytes, names.length, names.type).length > 0) return false
    const place = this.#plain.add(record.id, names.suffix)
    if (place < 0) return false
    this.#table.add(this.#hash.own, 2 * place)
    if (this.#isTried(names.type)) this.#isUnsettled = true
    return true
  }

  #addToGroups(record: SeriesRecord, wanted: readonly Wanted[]): void {
    const groups = new Set<KeptGroup>()
    for (const each of wanted) {
      const group = this.#groups.get(keyOf(each)) ?? this.#createGroup(each)
      const last = group.entries.at(-1)
      group.entries.push(each.entry)
      if (last !== undefined && last.record.id > record.id) {
        group.entries.sort((a, b) => a.record.id - b.record.id)
        group.family = undefined
        this.#isReordered = true
      }
      this.#stale.add(group)
      groups.add(group)
    }
    this.#groupsOf.set(record.id, [...groups])
  }

  /** Makes the group of a family that has none, with the plain series that was it, if any. */
  #createGroup(wanted: Wanted): KeptGroup {
    const { type, name } = wanted
    const bytes = ENCODER.encode(name)
    const rivals = this.#rivals(bytes, bytes.length, type)
    const own = rivals.find((rival) => rival.type === type && rival.name === name)
    if (own !== undefined) return this.#groupOf(own)
    const group = this.#register(wanted, this.#hash.own)
    if (rivals.length > 0 || this.#isTried(type)) this.#isUnsettled = true
    for (const rival of rivals) this.#contenders.add(this.#groupOf(rival)).add(group)
    return group
  }

  #register({ type, name }: Pick<Wanted, 'type' | 'name'>, hash: number): KeptGroup {
    const number = this.#freeNumbers.pop() ?? this.#numbered.length
    const group: KeptGroup = {
      ...{ type, name, shown: name, number, hash },
      ...{ entries: [], placed: 0, family: undefined, familyName: name, labelTexts: undefined },
      ...{ relabelled: NONE, left: new Set() },
    }
    this.#numbered[number] = group
    this.#groups.set(keyOf(group), group)
    this.#table.add(hash, 2 * number + 1)
    return group
  }

  /** Gives the group of a family, which a plain one gets now. */
  #groupOf({ number }: Rival): KeptGroup {
    if ((number & 1) !== 0) return this.#numbered[number >>> 1]!
    const record = this.#series.get(this.#plain.idOf(number >>> 1))!
    this.#removePlain(number >>> 1, record)
    const [wanted] = wantedFamilies(record, this.#options)
    const group = this.#register(wanted!, this.#hash.own)
    this.#addToGroups(record, [wanted!])
    return group
  }

  /**
   * Finds the families of which a sample may have the name of a sample of this one, itself among
   * them where it is known; its name is the one that was hashed last then.
   */
  #rivals(bytes: Uint8Array, length: number, type: Kind): readonly Rival[] {
    const hash = this.#hash
    hash.read(bytes, length)
    let rivals = this.#named(NO_RIVALS, hash.own, bytes, length, '', KINDS)
    for (const ending of NameHash.endingsOf(type)) {
      const text = NameHash.textOf(ending)
      rivals = this.#named(rivals, hash.longer(ending), bytes, length, text, KINDS)
    }
    const { ending } = hash
    if (ending === undefined) return rivals
    const rest = length - ending.bytes.length
    return this.#named(rivals, hash.shorter, bytes, rest, '', ending.kinds)
  }

  /** Adds the families of a name, bytes with an ending, and some kinds. */
  #named(
    rivals: readonly Rival[],
    hash: number,
    bytes: Uint8Array,
    length: number,
    ending: string,
    kinds: readonly Kind[],
  ): readonly Rival[] {
    let number = this.#table.first(hash)
    if (number < 0) return rivals
    const name = Buffer.from(bytes.subarray(0, length)).toString() + ending
    const found = [...rivals]
    for (; number >= 0; number = this.#table.next()) {
      const rival = this.#rivalOf(number)
      if (rival.name === name && kinds.includes(rival.type)) found.push(rival)
    }
    return found
  }

  #rivalOf(number: number): Rival {
    if ((number & 1) !== 0) {
      const { type, name } = this.#numbered[number >>> 1]!
      return { number, type, name }
    }
    const names = this.#rivalNames
    names.read(this.#series.get(this.#plain.idOf(number >>> 1))!)
    return { number, type: names.type, name: names.text }
  }

  /** Tells whether a contest depends on samples of a family, whose name was hashed last. */
  #isTried(type: Kind): boolean {
    if (this.#tried.size === 0) return false
    const hash = this.#hash
    if (this.#tried.has(hash.own)) return true
    return NameHash.endingsOf(type).some((ending) => this.#tried.has(hash.longer(ending)))
  }

  /** Takes the series that have left out of their groups. */
  *#dropLeft(): Task {
    let count = 0
    for (const group of this.#stale) {
      const { left } = group
      if (left.size === 0) continue
      group.entries = group.entries.filter(({ record }) => !left.has(record.id))
      left.clear()
      group.family = undefined
      this.#isReordered = true
      if (group.entries.length === 0) this.#removeGroup(group)
      if (++count % ROWS_PER_STEP === 0) yield
    }
  }

  #removeGroup(group: KeptGroup): void {
    const { type, name, number } = group
    this.#groups.delete(keyOf(group))
    this.#table.delete(group.hash, 2 * number + 1)
    this.#numbered[number] = undefined
    this.#freeNumbers.push(number)
    this.#relabelled.delete(group)
    const bytes = ENCODER.encode(name)
    this.#hash.read(bytes, bytes.length)
    if (this.#contenders.delete(group) || this.#isTried(type)) this.#isUnsettled = true
  }

  /** Names those anew that are in contest. */
  *#settle(): Task {
    this.#isUnsettled = false
    const tried = new Set<number>()
    let isDone = false
    try {
      yield* separateFamilies([...this.#contenders], {
        has: (sample) => this.#isTaken(sample),
        noteTried: (sample) => {
          this.#hashText(sample)
          tried.add(this.#hash.own)
          // what leaves meanwhile may have been tried by then
          this.#tried.add(this.#hash.own)
        },
      })
      this.#tried = tried
      isDone = true
    } finally {
      this.#isUnsettled ||= !isDone
    }
    for (const group of this.#contenders) this.#stale.add(group)
  }

  #hashText(text: string): Uint8Array {
    const bytes = ENCODER.encode(text)
    this.#hash.read(bytes, bytes.length)
    return bytes
  }

  /** Tells whether a family that is in no contest has samples of a name. */
  #isTaken(sample: string): boolean {
    const bytes = this.#hashText(sample)
    const { own, ending, shorter } = this.#hash
    let rivals = this.#named(NO_RIVALS, own, bytes, bytes.length, '', KINDS)
    if (ending !== undefined) {
      const rest = bytes.length - ending.bytes.length
      rivals = this.#named(rivals, shorter, bytes, rest, '', ending.kinds)
    }
    return rivals.some(({ number }) => {
      return (number & 1) === 0 || !this.#contenders.has(this.#numbered[number >>> 1]!)
    })
  }

  *#makeFamilies(): Task {
    if (this.#isUnsettled) yield* this.#settle()
    let count = 0
    for (const group of this.#stale) {
      if (group.entries.length > 0) yield* this.#place(group)
      // what has left meanwhile is dropped by the next update
      if (group.left.size === 0) this.#stale.delete(group)
      if (++count % ROWS_PER_STEP === 0) yield
    }
    if (this.#isReordered) yield* this.#order()
    else if (this.#added.length > 0) this.#families = [...this.#families, ...this.#added]
    this.#added = []
    this.#findConflicts()
  }

  /** Brings the family of a group up to date: longer at its end where that will do. */
  *#place(group: KeptGroup): Task {
    const { family, type, shown } = group
    const isKept = family !== undefined && group.familyName === shown
    if (isKept && group.relabelled.length === 0 && (yield* this.#extend(group, family))) return
    const entries = group.entries.map((entry) => ({ ...entry }))
    const changed = entries.length > 1 ? yield* separateRows(entries) : NO_ENTRIES
    const rows: Row[] = []
    for (const entry of entries) {
      rows.push(toRow(type, shown, entry, this.#options))
      if (rows.length % ROWS_PER_STEP === 0) yield
    }
    const isNew = family === undefined && !this.#isReordered
    group.family = toFamily(type, shown, entries[0]!, rows)
    group.familyName = shown
    group.placed = entries.length
    group.labelTexts = undefined
    group.relabelled = Array.from(changed, ({ record }) => record.id)
    if (changed.size > 0) this.#relabelled.add(group)
    else this.#relabelled.delete(group)
    const last = this.#added.at(-1) ?? this.#families.at(-1)
    if (isNew && (last === undefined || compareFamilies(last, group.family) < 0)) {
      this.#added.push(group.family)
    } else this.#isReordered = true
  }

  /** Adds rows; false where one has the labels of another one. */
  *#extend(group: KeptGroup, { rows }: Family): Task<boolean> {
    const { entries, type, shown } = group
    const texts = group.labelTexts ?? new Set()
    let count = 0
    if (group.labelTexts === undefined) {
      for (let i = 0; i < group.placed; i++) {
        texts.add(labelText(entries[i]!.labels))
        if (++count % ROWS_PER_STEP === 0) yield
      }
    }
    group.labelTexts = texts
    while (group.placed < entries.length) {
      const entry = entries[group.placed]!
      const text = labelText(entry.labels)
      if (texts.has(text)) return false
      texts.add(text)
      rows.push(toRow(type, shown, entry, this.#options))
      group.placed++
      if (++count % ROWS_PER_STEP === 0) yield
    }
    return true
  }

  *#order(): Task {
    const families: Family[] = []
    for (const { family } of this.#groups.values()) {
      if (family !== undefined) families.push(family)
      if (families.length % (16 * ROWS_PER_STEP) === 0) yield
    }
    this.#families = yield* sorted(families, compareFamilies)
    this.#isReordered = false
  }

  #findConflicts(): void {
    if (this.#contenders.size === 0 && this.#relabelled.size === 0 && this.#conflicts.size === 0) {
      return
    }
    const conflicts = new Map<number, Conflict>()
    for (const { entries, name, shown } of this.#contenders) {
      if (name !== shown) for (const { record } of entries) conflicts.set(record.id, 'family')
    }
    for (const { relabelled } of this.#relabelled) {
      for (const id of relabelled) conflicts.set(id, 'label')
    }
    this.#conflicts = conflicts
  }

  #compact(): void {
    if (!this.#plain.isSparse) return
    const { list, places } = this.#plain.compacted()
    this.#plain = list
    this.#table.renumber((number) => {
      return (number & 1) !== 0 ? number : 2 * places[number >>> 1]!
    })
  }
}

function keyOf({ type, name }: Pick<Wanted, 'type' | 'name'>): string {
  return `${type} ${name}`
}

function compareFamilies(a: Family, b: Family): number {
  return firstIdOf(a) - firstIdOf(b) || compareUtf8(a.name, b.name)
}

/** Gives the id of a family's first series, by which families are ordered. */
export function firstIdOf({ rows }: Family): number {
  return rows[0]!.record.id
}
