/** Which series of a hub a board shows, and where they come from. */
import type { PeerStatus, SourcesAnswer } from '../../../../http/api.ts'
import { parseSource } from '../../../../model/board/options.ts'
import { addressText } from '../../../../model/text/address.ts'
import { sourceOf } from '../../../../viewer/board/measures.ts'
import { selectEntries } from '../../../../viewer/series/select.ts'
import { type Entry, OWN_DIALECT } from '../../../../viewer/store/catalogue.ts'
import { DIALECT, type ScopeState } from '../address.ts'

/** Lines of a board: each is drawn in every frame, and none can be told apart among more. */
export const LINES_LIMIT = 300

export interface Selected {
  /** Entries, {@link LINES_LIMIT} at most. */
  readonly entries: readonly Entry[]
  /** All that match. */
  readonly total: number
}

/** Lists the exporters that the hub was told to read. */
export function exporters(sources: SourcesAnswer | undefined): readonly PeerStatus[] {
  const peers = sources?.peers ?? []
  return peers.filter(({ dialect, direction }) => dialect === DIALECT && direction === 'attach')
}

/** Selects by the state of a link; without any choice all series of exporters. */
export function selectBoard(
  all: readonly Entry[],
  { sources, series }: Pick<ScopeState, 'sources' | 'series'>,
  isStale: (id: number) => boolean,
): Selected {
  const found = new Map<number, Entry>()
  const add = (entries: readonly Entry[]): void => {
    for (const entry of entries) found.set(entry.id, entry)
  }
  const isShown = ({ id }: Entry): boolean => !isStale(id)
  if (sources.length === 0 && series.length === 0) {
    add(all.filter((entry) => entry.info.dialect === DIALECT && isShown(entry)))
  }
  for (const source of sources) {
    const isOf = ofSource(source)
    add(all.filter((entry) => isOf(entry) && isShown(entry)))
  }
  for (const selector of series) {
    const named = all.filter(({ text }) => text === selector)
    const choice = { q: selector, kind: '', source: '' }
    add(named.length > 0 ? named : selectEntries(all, choice, isStale))
  }
  const entries = [...found.values()]
  return { entries: entries.slice(0, LINES_LIMIT), total: entries.length }
}

/** Makes the test for a source: `HOST`, `HOST:PORT`, or the name of a dialect. */
function ofSource(text: string): (entry: Entry) => boolean {
  const parsed = parseSource(text)
  const address = parsed && addressText(parsed.host, parsed.port)
  return (entry) => {
    const { dialect } = entry.info
    const source = sourceOf(entry)
    if (dialect === text) return true
    return (source === text || source === address) && dialect !== OWN_DIALECT
  }
}
