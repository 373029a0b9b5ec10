/**
 * Addresses of the original Metrics UI (wallaroo.md §8.4): bookmarks and links of it lead to the
 * same thing here, in its own numbers.
 *
 *   /applications/APPLICATION/dashboard                     and workers-dashboard
 *   /applications/APPLICATION/CATEGORY/KEY                  the key by category, as below
 */
import type { FormerAddress } from '../../../../web/shell/view.ts'
import { NO_PLACE, type Place, STANDARD, type WallarooState } from '../address.ts'
import { ON_WORKER } from '../place.ts'

type Names = Partial<Place>

/** Names in the keys of a category. Joints may be part of names, too: the first one counts. */
const KEYS: Readonly<Record<string, (key: string) => Names>> = {
  'start-to-end': (pipeline) => ({ pipeline }),
  'node-ingress-egress': (worker) => ({ worker }),
  computation: (name) => ({ name }),
  'start-to-end-by-worker': (key) => {
    const [pipeline, worker] = splitAt(key, '@')
    return { pipeline, worker }
  },
  'node-ingress-egress-by-pipeline': (key) => {
    const [pipeline, worker] = splitAt(key, '*')
    return worker === null ? { pipeline } : { pipeline, worker, category: ON_WORKER }
  },
  'computation-by-worker': (key) => {
    const [pipeline, rest] = splitAt(key, '@')
    const [worker, name] = rest === null ? [null, null] : splitAt(rest, ':')
    return { pipeline, worker, name }
  },
}

export const FORMER: FormerAddress<WallarooState> = {
  path: 'applications',
  parse(rest) {
    const [application, category, ...key] = rest.split('/').slice(1).map(decoded)
    const place = {
      ...NO_PLACE,
      application: application === undefined || application === '' ? null : application,
      ...namesOf(category ?? '', key.join('/').replace(/\/$/, '')),
    }
    return { ...STANDARD, place, mode: 'compatible' }
  },
}

/** Reads what stands behind the application; without a key that is its dashboard. */
function namesOf(category: string, key: string): Names {
  if (key === '') return {}
  const read = Object.hasOwn(KEYS, category) ? KEYS[category] : undefined
  return read === undefined ? { name: key, category } : read(key)
}

function splitAt(text: string, joint: string): readonly [front: string, back: string | null] {
  const at = text.indexOf(joint)
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + joint.length)]
}

/** Decodes a part; a hand-written path with a lone % is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
