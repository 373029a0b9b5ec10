/**
 * Contract of a view. The page is a list of them, which router, bar, keys, help and titles walk
 * through. Those of the house stand in src/web; that of a dialect is `view/view.tsx` (or `.ts`) in
 * its folder, which exports `view: View` and is found by the bundler.
 */
import type { JSX } from 'preact'
import type { SourcesAnswer } from '../../http/api.ts'
import type { Per } from '../../viewer/format/rate.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'

/** Part of the URL that is a view's own: the first part of the path, and a state of its own. */
export interface Address<State extends object = object> {
  /** First part of the path, without slashes; '' is the start page, shown for unknown ones. */
  readonly path: string
  readonly standard: State
  /** The view has a window and an instant of its own: those that all views share are not its. */
  readonly hasOwnTime?: boolean
  /**
   * @param rest of the path behind the first part, with its slash, still encoded
   * @returns undefined where the view has no such page
   */
  parse(rest: string, query: URLSearchParams): State | undefined
  /** Writes what differs from the standard into `query`. @returns the rest of the path, encoded */
  format(state: State, query: URLSearchParams): string
}

/** Addresses of another program, which lead to a view: as paths, and as paths behind `#`. */
export interface FormerAddress<State extends object = object> {
  /** First part of the path, without slashes. */
  readonly path: string
  /** @param rest of the path behind the first part, with its slash, still encoded */
  parse(rest: string): State
}

/** Place of the page: a view with its state, and what all views share. */
export interface Route<State extends object = object> {
  readonly address: Address<State>
  readonly state: State
  /** Seconds that charts show. */
  readonly window: number
  /** Unix second at which the picture is held; null while it moves. */
  readonly at: number | null
  /** Time that rates of counters are stated per; '' as their senders do. */
  readonly per: Per
  /** Charts have their tables below them. */
  readonly tables: boolean
}

/** Destination of a link: `to` of route.ts makes one. */
export interface Destination {
  readonly address: Address
  /** Change to the state in which that view was last. */
  readonly change: object
}

/** Place that can be jumped to, besides the views themselves. */
export interface JumpTarget {
  readonly words: string
  /** Kind of the place: `application`. */
  readonly note: string
  readonly destination: Destination
}

/** A page of its own below its path. */
export interface Screen<State extends object = object> {
  readonly address: Address<State>
  /** Addresses that the same pages had in another program. */
  readonly former?: FormerAddress<State>
  /** Gives the title of the document, and in the help that of the standard state. */
  title(state: State): string
  /** Words in the bar; with none it is reached from other views, and `tabOf` is marked instead. */
  readonly tab?: string
  readonly tabOf?: Address
  /** Counts, in red beside the words, messages that could not be read; 0 shows none. */
  troubles?(sources: SourcesAnswer | undefined): number
  /** Part of the state in which the view was left that the tab and the key take back. */
  readonly home?: Partial<State>
  /** Longest window that it shows, in seconds, where that is not the one of series. */
  readonly windowMostS?: number
  /** Says why no window is chosen where what is shown has one of its own; undefined elsewhere. */
  whyFixedWindow?(state: State): string | undefined
  /** Keys that mean something in this view only, by their names in the browser, and what. */
  readonly keys?: readonly (readonly [key: string, what: string])[]
  /** Letter that leads there after G. */
  readonly key?: string
  /** Leads one level up; without an answer that is the start page. */
  up?(state: State): Destination | undefined
  component(props: { readonly route: Route<State> }): JSX.Element | null
}

export interface View<State extends object = object> {
  /** Registry name of its dialect, without which the tab is not there; none for the house's own. */
  readonly dialect?: string
  readonly screen?: Screen<State>
  /** Shows a panel on the overview, above the series. */
  overviewPanel?(): JSX.Element | null
  /** Shows a panel on the Sources page, below the threads. */
  sourcesPanel?(props: { readonly sources: SourcesAnswer }): JSX.Element | null
  /** Gets the places of the view that can be jumped to: a hook, while that is asked for. */
  useJumpTargets?(): readonly JumpTarget[]
  /** Leads from a series to where this view shows it. */
  seriesLink?(entry: Entry): { readonly words: string; readonly to: Destination }
  /** Words for what its example does, on an overview without any series: `Send it …:`. */
  readonly exampleWords?: string
  readonly words?: Words
}

/** Plain words for what the hub tells of a dialect; unknown names are shown as they are. */
export interface Words {
  /** Facts of connections; '' leaves one out. */
  readonly facts?: Readonly<Record<string, (value: string | number | boolean) => string>>
  /** Titles of limits, by the first word of their names: `eggs.basketLimit`. */
  readonly limits?: Readonly<Record<string, string>>
  /** Words for limits that refuse nothing: what happened to that many, by name. */
  readonly bitten?: Readonly<Record<string, string>>
}
