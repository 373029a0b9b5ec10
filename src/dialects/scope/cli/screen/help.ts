/** Keys of the scope's screen: the line at its foot, and all of them. */
import type { KeyWords } from '../../../../terminal/index.ts'

export const HINTS = [
  ...['p pause', 'F5 reset', '←→ cursor', '1-9 lines', 't trigger', '/ filter', '? keys', 'q quit'],
] as const

export const KEYS: KeyWords = [
  ['p', 'pause and go on: the picture stands still, reading goes on'],
  ['F5 R', 'reset: whole window, automatic Y, trigger cleared'],
  ['← →', 'cursor, a sixtieth of the window; Esc takes it away'],
  ['[ ] w', 'time window: shorter, longer, any of 1 to 600 s'],
  ['+ − < >', 'zoom at the cursor or the right edge; pan'],
  ['n b', 'next and previous event of the trigger'],
  ['Tab ↑ ↓', 'which plot (▸) keys are about; Page Up, Page Down, Home, End'],
  ['1…9 0', 'hide and show its lines'],
  ['t', 'trigger of its lines: below, above'],
  ['y', 'its Y range'],
  ['m', 'moving average of its lines, in samples or seconds'],
  ['g', 'put a line into another plot'],
  ['l', 'legend'],
  ['c C a A', 'columns: more, fewer; plots: flatter, higher'],
  ['/', 'only plots with these words'],
]
