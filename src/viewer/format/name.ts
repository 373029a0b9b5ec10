/**
 * Names of peers as text that can be read: names that differ look different, none turns the
 * direction of the words around it, and none is without end.
 */

import { escapeUnseen } from '../../model/text/unseen.ts'

/** Longer names are cut where they are shown; the address bar and exports have them whole. */
const NAME_LENGTH_LIMIT = 1000

/** Writes a name for a sentence or a title. */
export function shownName(name: string): string {
  const isLong = name.length > NAME_LENGTH_LIMIT
  // never within a pair: half of one is no character
  const end = isLong && /[\ud800-\udbff]/.test(name[NAME_LENGTH_LIMIT - 1]!) ? 1 : 0
  const shown = isLong ? `${name.slice(0, NAME_LENGTH_LIMIT - end)}…` : name
  return shown.trim() === '' ? '(blank)' : escapeUnseen(shown)
}
