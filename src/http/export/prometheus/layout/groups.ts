/** What the catalog of families keeps, and shows: groups of series that want to be one family. */
import type { Kind } from '../../../../model/index.ts'
import type { Entry, Group } from './collisions.ts'
import type { Family, Row } from './families.ts'
import type { PlainList } from './plain-list.ts'

/** Families that a scrape shows: those of one moment, whatever is in the catalog by its end. */
export interface Shown {
  /** That of the list of series. */
  readonly revision: number
  readonly plain: PlainList
  /** Families in the order of their first series. */
  readonly families: readonly Family[]
}

/** Row of a series in one of its families. */
export interface ShownRow {
  readonly family: Family
  readonly row: Row
}

export type Conflict = 'label' | 'family'

/** Series that want to be one family, but for a single plain one. */
export interface KeptGroup extends Group {
  /** Number in the table of names. */
  readonly number: number
  readonly hash: number
  /** Entries with the labels they want, in the order of the series. */
  entries: Entry[]
  /** Entries that are in the family already, the first so many. */
  placed: number
  family: Family | undefined
  /** Name under which the family was made. */
  familyName: string
  /** Label sets of the family's rows; made when a row is to be added. */
  labelTexts: Set<string> | undefined
  /** Series whose labels were changed, as another one has the same. */
  relabelled: readonly number[]
  /** Series that have left since the family was made. */
  readonly left: Set<number>
}

/** Family that has or wants a name. */
export interface Rival {
  /** Number in the table of names. */
  readonly number: number
  readonly type: Kind
  readonly name: string
}
