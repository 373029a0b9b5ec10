/** `pentameter hist` at a terminal: one distribution, live, of all that match or of one of them. */
import { shownName } from '../../viewer/format/name.ts'
import { countText, seenLine } from '../../viewer/format/seen.ts'
import { spanText } from '../../viewer/format/time.ts'
import { addMerged, type Merged, mergeSeconds } from '../../viewer/store/buckets.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import { Store } from '../../viewer/store/store.ts'
import { ShownSeries } from '../../viewer/store/subscriptions.ts'
import { drawDetailedBars } from '../chart/bars.ts'
import type { Hub } from '../hub/connect.ts'
import { drawKeys, type KeyWords, keyLine } from '../key-help.ts'
import type { Key } from '../keys.ts'
import type { ScreenBuffer } from '../screen-buffer.ts'
import { wide } from '../series/figures.ts'
import { type TerminalParts, TerminalSession } from '../session.ts'
import { drawFirstLine } from '../top/head.ts'
import { TopState } from '../top/state.ts'
import { figuresIn } from './distribution.ts'

interface HistOptions {
  readonly filter: string
  readonly window: number
  /** The histograms as they were found. */
  readonly entries: readonly Entry[]
}

const KEYS: KeyWords = [
  ['J K  ↑ ↓', 'next, previous histogram; before the first one all are added up'],
  ['1 … 6', 'time window of 10 s, 30 s, 1, 2, 5, 10 min'],
  ['[ ]', 'window shorter, longer'],
  ['← →', 'move the cursor: the distribution is that of its second'],
  ['P', 'pause: the picture stands still, reading goes on'],
  ['Esc', 'help, cursor off'],
]
const STEPS: Readonly<Record<string, number>> = { up: -1, k: -1, K: -1, down: 1, j: 1, J: 1 }
const LEAST_COLUMNS = 60
const LEAST_ROWS = 12
/** Row of the first figures, below hub and title. */
const FIGURES_ROW = 2
const FIGURE_LEAST = 20
const FOOT_ROWS = 2

export async function histOnScreen(
  hub: Hub,
  options: HistOptions,
  parts: TerminalParts,
): Promise<void> {
  await new HistScreen(hub, options, parts).run()
}

class HistScreen {
  readonly #hub: Hub
  readonly #options: HistOptions
  readonly #parts: TerminalParts
  readonly #beganNs: bigint
  readonly #store: Store
  readonly #state: TopState
  readonly #session: TerminalSession
  readonly #ended = Promise.withResolvers<void>()
  readonly #shown: ShownSeries
  /** Place of the one that is shown; -1 = all of them. */
  #at = -1

  constructor(hub: Hub, options: HistOptions, parts: TerminalParts) {
    this.#hub = hub
    this.#options = options
    this.#parts = parts
    this.#beganNs = parts.clock.monotonicNs()
    this.#store = new Store(hub.api)
    this.#shown = new ShownSeries(this.#store.screen)
    this.#store.clock.window.value = options.window
    this.#state = new TopState(this.#store, { filter: '', sort: 'name', group: 'none' })
    this.#session = new TerminalSession(parts, {
      draw: (buffer) => this.#draw(buffer),
      onKey: (key) => this.#onKey(key),
      end: () => this.#ended.resolve(),
      seen: () => this.#seen(),
    })
    if (options.entries.length === 1) this.#at = 0
  }

  async run(): Promise<void> {
    const { cache, catalogue, clock } = this.#store
    const running = this.#session.run(this.#ended.promise)
    this.#session.open()
    const changes = [clock.tick, cache.version, clock.connection, catalogue.version]
    const offs = changes.map((each) => each.subscribe(() => this.#session.refresh()))
    this.#store.start()
    try {
      await running
    } finally {
      for (const off of offs) off()
      this.#store.stop()
    }
  }

  #seen(): string {
    const ms = Number(this.#parts.clock.monotonicNs() - this.#beganNs) / 1e6
    const { length } = this.#options.entries
    return seenLine(ms, [countText(length, 'histogram')])
  }

  #onKey(key: Key): boolean {
    const { length } = this.#options.entries
    const step = STEPS[key]
    if (step !== undefined) {
      const first = length === 1 ? 0 : -1
      this.#at = Math.max(first, Math.min(length - 1, this.#at + step))
      return true
    }
    // what has no meaning here is not to change what is not seen
    return /^[/gsGS]$|^tab$/.test(key) ? false : this.#state.press(key)
  }

  /** Finds the histograms in the newest list: a hub that began anew gives them other numbers. */
  #entries(): readonly Entry[] {
    const { catalogue } = this.#store
    if (!catalogue.isLoaded) return this.#options.entries
    const known = new Map(catalogue.entries.map((entry) => [entry.identity, entry]))
    return this.#options.entries.map((entry) => known.get(entry.identity) ?? entry)
  }

  #draw(buffer: ScreenBuffer): void {
    const store = this.#store
    const state = this.#state
    const all = this.#entries()
    const chosen = this.#at === -1 ? all : all.slice(this.#at, this.#at + 1)
    this.#shown.choose(all)
    const { cursor } = state
    if (buffer.columns < LEAST_COLUMNS || buffer.rows < LEAST_ROWS) {
      buffer.write(0, 0, `${buffer.columns} x ${buffer.rows} is small, 60 x 12 shows all.`)
      this.#drawFigures(buffer, 1, chosen)
      return
    }
    drawFirstLine(buffer, { store, hub: this.#hub.address.name, cursor, seen: '' })
    if (state.isHelp) {
      drawKeys(buffer, 2, buffer.rows - 2, KEYS)
      return
    }
    this.#drawTitle(buffer, chosen)
    const rule = FIGURES_ROW + this.#drawFigures(buffer, FIGURES_ROW, chosen)
    buffer.write(rule, 0, '─'.repeat(buffer.columns), 'faint')
    const rows = buffer.rows - rule - 1 - FOOT_ROWS
    const box = { row: rule + 1, column: 0, rows, columns: buffer.columns }
    drawDetailedBars(buffer, box, this.#merged(chosen), unitOf(chosen))
    const row = buffer.rows - FOOT_ROWS
    buffer.write(row, 0, '─'.repeat(buffer.columns), 'faint')
    const next = all.length > 1 ? 'J K one by one' : ''
    const keys = ['←→ cursor', next, 'P pause', '1-6 window', '? keys', 'q']
    buffer.write(row + 1, 1, keyLine(keys.filter(Boolean), buffer.columns - 2))
  }

  #drawTitle(buffer: ScreenBuffer, chosen: readonly Entry[]): void {
    const { entries, filter } = this.#options
    const [only] = chosen
    const title = this.#at === -1 ? `${filter}  ` : shownName(only?.text ?? '')
    const at = buffer.write(1, 0, title, 'bold', buffer.columns - 30)
    if (this.#at === -1) {
      buffer.write(1, at, `${entries.length} histograms added up`, 'faint')
    } else if (entries.length > 1) {
      buffer.write(1, at + 2, `${this.#at + 1} of ${entries.length}`, 'faint')
    }
    const { cursor } = this.#state
    const window = `last ${wide(spanText(this.#store.clock.window.peek()))}`
    const when = cursor === null ? window : 'one second'
    buffer.writeRight(1, buffer.columns, when, 'faint')
  }

  /** Writes the figures in columns, as many as a row takes. @returns rows that they took */
  #drawFigures(buffer: ScreenBuffer, row: number, chosen: readonly Entry[]): number {
    const [from, to] = this.#span()
    const figures = figuresIn(this.#merged(chosen), to - from, unitOf(chosen))
    const fitting = Math.floor(buffer.columns / FIGURE_LEAST)
    const perRow = Math.max(1, Math.min(fitting, Math.ceil(figures.length / 2)))
    const width = Math.floor(buffer.columns / perRow)
    figures.forEach(([name, words], i) => {
      const column = (i % perRow) * width
      const at = buffer.write(row + Math.floor(i / perRow), column, name, 'faint', width - 1)
      const room = width - 1 - (at - column)
      buffer.write(row + Math.floor(i / perRow), at, ` ${words}`, 'plain', room)
    })
    return Math.ceil(figures.length / perRow)
  }

  #span(): readonly [from: number, to: number] {
    const { clock } = this.#store
    const { cursor } = this.#state
    if (cursor !== null) return [cursor - 1, cursor]
    const to = clock.readingSecond()
    return [to - clock.window.peek(), to]
  }

  #merged(chosen: readonly Entry[]): Merged {
    const [from, to] = this.#span()
    return addMerged(
      chosen.flatMap(({ id }) => {
        const data = this.#store.data(id)
        return data === undefined ? [] : [mergeSeconds(data, from, to)]
      }),
    )
  }
}

function unitOf([first]: readonly Entry[]): string {
  return first?.info.unit ?? ''
}
