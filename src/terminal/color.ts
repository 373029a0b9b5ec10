/**
 * The few styles of a screen and how each colour depth says them (terminal.md, principle 2): cyan
 * is data, yellow is unusual, red is lost. What a style means is always said by a character too.
 */

/** `none`: bold is left, colour is not. */
export type ColorDepth = 'none' | '16' | '256'

export const STYLES = ['plain', 'bold', 'faint', 'data', 'unusual', 'lost'] as const
export type Style = (typeof STYLES)[number]

type Codes = Readonly<Record<Style, string>>

/** Parameters of SGR (ECMA-48 8.3.117) per style; `38;5;n` is the palette of 256. */
const CODES: Readonly<Record<ColorDepth, Codes>> = {
  none: { plain: '', bold: '1', faint: '', data: '', unusual: '', lost: '' },
  '16': { plain: '', bold: '1', faint: '90', data: '36', unusual: '33', lost: '31' },
  '256': {
    ...{ plain: '', bold: '1', faint: '38;5;245' },
    ...{ data: '38;5;80', unusual: '38;5;220', lost: '38;5;203' },
  },
}

/** Returns the sequence that begins a style, whichever style was before it. */
export function styleSequence(style: Style, depth: ColorDepth): string {
  const code = CODES[depth][style]
  return code === '' ? '\x1b[0m' : `\x1b[0;${code}m`
}

export interface ColorWishes {
  /** False with `--no-color`. */
  readonly color: boolean
  readonly isTerminal: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Chooses the depth; NO_COLOR counts when it is not empty (no-color.org). */
export function colorDepth({ color, isTerminal, env }: ColorWishes): ColorDepth {
  if (!color || !isTerminal || env.NO_COLOR || env.TERM === 'dumb') return 'none'
  return env.COLORTERM || env.TERM?.includes('256color') ? '256' : '16'
}
