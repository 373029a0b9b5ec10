/** Words that series are looked for by, wherever they are listed: of a hub, and of its past. */
import type { Kind } from '../cell.ts'
import type { Identity, Metadata } from '../series.ts'

export interface SeriesWords {
  /**
   * Words that must all be found, in either case of letters, in the name, the display name or a
   * label written `key=value`; the words `dialect=…` and `kind=…` ask for those instead.
   */
  readonly filter: string
  readonly kind?: Kind | undefined
  readonly dialect?: string | undefined
}

/** Part of a series that words are looked for in. */
interface Searched {
  readonly kind: Kind
  readonly identity: Identity
  readonly metadata: Pick<Metadata, 'dialect' | 'displayName'>
}

/** Makes a test for words. */
export function seriesFilter(words: SeriesWords): (series: Searched) => boolean {
  const all = words.filter.toLowerCase().split(/\s+/).filter(Boolean)
  return (series) => {
    const { kind, metadata } = series
    if (words.kind !== undefined && kind !== words.kind) return false
    if (words.dialect !== undefined && metadata.dialect !== words.dialect) return false
    if (all.length === 0) return true
    const texts = searchTexts(series.identity, metadata.displayName)
    return all.every((word) => {
      if (word.startsWith('dialect=')) return `dialect=${metadata.dialect}`.startsWith(word)
      if (word.startsWith('kind=')) return `kind=${kind}`.startsWith(word)
      return texts.some((text) => text.includes(word))
    })
  }
}

function searchTexts({ name, labels, qualifier }: Identity, displayName?: string): string[] {
  const texts = [name.toLowerCase()]
  if (displayName !== undefined) texts.push(displayName.toLowerCase())
  for (const [key, value] of labels) texts.push(`${key}=${value}`.toLowerCase())
  if (qualifier !== undefined) texts.push(qualifier.join('=').toLowerCase())
  return texts
}
