/** What can be jumped to: views, sources, actions, and every series. */
import { shownName } from '../../viewer/format/name.ts'
import { spanText } from '../../viewer/format/time.ts'
import { type Entry, OWN_DIALECT } from '../../viewer/store/catalogue.ts'
import { DENSITIES, OVERVIEW } from '../overview/address.ts'
import { SERIES } from '../series/address.ts'
import type { IconName } from '../shell/icon.tsx'
import type { Page } from '../shell/page.ts'
import { homeOf, to } from '../shell/route.ts'
import type { JumpTarget } from '../shell/view.ts'
import type { Findable } from './search.ts'

export interface Target extends Findable {
  /** Text that no other one has. */
  readonly key: string
  readonly icon: IconName
  readonly words: string
  /** Labels of a series, which tell namesakes apart. */
  readonly labels?: string
  /** Kind of the target, beside the words. */
  readonly note: string
  readonly go: () => void
}

/** Makes a target; its note is searched, too. */
function target(part: Omit<Target, 'search' | 'key'>): Target {
  const search = `${part.words} ${part.note}`.toLowerCase()
  return { ...part, search, key: `${part.note} ${part.words}` }
}

export function viewTargets(page: Page, more: readonly JumpTarget[]): Target[] {
  const { navigation, screens } = page
  const tabs = screens.flatMap((screen) => {
    if (screen.tab === undefined) return []
    const words = screen.title(screen.address.standard)
    const go = (): void => navigation.go(homeOf(screen))
    return target({ icon: 'right', words, note: 'view', go })
  })
  const places = more.map(({ words, note, destination }) =>
    target({ icon: 'right', words, note, go: () => navigation.go(destination) }),
  )
  return [...tabs, ...places]
}

export function sourceTargets({ navigation, store }: Page): Target[] {
  return (store.sources.value?.dialects ?? []).map(({ name, title, address }) =>
    target({
      icon: 'gauge',
      words: title,
      note: address === '' ? 'source' : `source, ${address}`,
      go: () => navigation.go(to(OVERVIEW, { source: name, q: '', kind: '' })),
    }),
  )
}

export function actionTargets(page: Page, setSingles: (isOn: boolean) => void): Target[] {
  const { navigation } = page
  const { at, tables } = navigation.route.value
  const windows = page.whyFixedWindow === undefined ? page.windows : []
  const act = (words: string, go: () => void, keys = ''): Target =>
    target({ icon: 'action', words, note: keys === '' ? 'action' : `action, ${keys}`, go })
  return [
    act(at === null ? 'Pause' : 'Resume', () => page.togglePause(), 'P'),
    act('Back to now', () => page.gestures.back(), '0'),
    ...windows.map((seconds, i) =>
      act(
        `Window of ${spanText(seconds)}`,
        () => page.chooseWindow(seconds),
        i < 9 ? String(i + 1) : '',
      ),
    ),
    act(
      tables ? 'Charts without tables' : 'Charts with tables',
      () => navigation.span({ tables: !tables }),
      'T',
    ),
    ...DENSITIES.map((density) =>
      act(`Overview as ${density}`, () => navigation.go(to(OVERVIEW, { density }))),
    ),
    act('Light or dark', () => page.switchTheme(), 'Shift T'),
    act('Copy the link', () => page.copyLink(), 'C'),
    act('Keyboard help', () => page.showHelp(), '?'),
    act('Single keys on', () => setSingles(true)),
    act('Single keys off', () => setSingles(false)),
  ]
}

const known = new WeakMap<Entry, Target>()

/** Makes the target of a series, once: ten thousand of them are searched with every letter. */
export function seriesTarget(page: Page, entry: Entry): Target {
  const made = known.get(entry)
  if (made !== undefined) return made
  const { kind, type = '', displayName } = entry.info
  const isAmbiguous = page.store.catalogue.isAmbiguous(entry.text)
  const apart = isAmbiguous ? { kind, type } : ({ kind: '', type: '' } as const)
  const fresh: Target = {
    key: entry.identity,
    search: entry.search,
    icon: kind,
    words: shownName(entry.info.name),
    ...(entry.labels !== '' && { labels: shownName(entry.labels) }),
    note: displayName === undefined || displayName === '' ? kind : `${displayName}, ${kind}`,
    go: () => page.navigation.go(to(SERIES, { series: entry.text, ...apart, before: 0 })),
  }
  known.set(entry, fresh)
  return fresh
}

/** Lists series in the order in which they are offered: unusual ones first, the hub's own last. */
export function orderedEntries({ store }: Page): readonly Entry[] {
  const rank = ({ id, info }: Entry): number =>
    info.dialect === OWN_DIALECT ? 2 : store.watch.finding(id).since > 0 ? 0 : 1
  return [0, 1, 2].flatMap((each) => store.catalogue.entries.filter((it) => rank(it) === each))
}
