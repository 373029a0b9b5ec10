/** The keys of `pentameter top`, those of the page where both have them. */
import type { KeyWords } from '../key-help.ts'

export const TOP_KEYS: KeyWords = [
  ['↑ ↓  J K', 'choose a series; Page Up, Page Down, Home, End as well'],
  ['↵', 'open the chosen series'],
  ['U', 'up: back to the list'],
  ['/', 'filter: words of name or label=value, * for any characters'],
  ['S', 'sort by unusual, name, rate, change, p99'],
  ['G', 'group by prefix, source, kind, or not at all'],
  ['P', 'pause: the picture stands still, reading goes on'],
  ['1 … 6', 'time window of 10 s, 30 s, 1, 2, 5, 10 min'],
  ['[ ]', 'window shorter, longer: up to 7 days, as far as the hub remembers'],
  ['← →', 'move the cursor: every value is that of its instant'],
  ['Tab', 'further facts of the opened series'],
  ['Esc', 'help, cursor, series, filter off, one after the other'],
]
