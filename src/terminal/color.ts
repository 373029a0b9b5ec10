/**
 * The few styles of a screen and how each colour depth says them: cyan is data, yellow is unusual,
 * red is lost. What a style means is always said by a character too.
 */

/** `none`: bold is left, colour is not. `256-light`: 256 colours on light paper. */
export type ColorDepth = 'none' | '16' | '256' | '256-light'

const STYLES = [
  ...(['plain', 'bold', 'faint', 'data', 'unusual', 'lost', 'cursor', 'ok'] as const),
] as const
type NamedStyle = (typeof STYLES)[number]
/** One of the few, or a colour of a line, `#rrggbb`. */
export type Style = NamedStyle | `#${string}`

type Codes = Readonly<Record<NamedStyle, string>>

/** Parameters of SGR (ECMA-48 8.3.117) per style; `38;5;n` is the palette of 256. */
const CODES: Readonly<Record<ColorDepth, Codes>> = {
  none: {
    ...{ plain: '', bold: '1', faint: '', data: '' },
    ...{ unusual: '', lost: '', cursor: '', ok: '' },
  },
  '16': {
    ...{ plain: '', bold: '1', faint: '90', data: '36' },
    ...{ unusual: '33', lost: '31', cursor: '94', ok: '32' },
  },
  '256': {
    ...{ plain: '', bold: '1', faint: '38;5;245', data: '38;5;80' },
    ...{ unusual: '38;5;220', lost: '38;5;203', cursor: '38;5;111', ok: '38;5;78' },
  },
  '256-light': {
    ...{ plain: '', bold: '1', faint: '38;5;242', data: '38;5;31' },
    ...{ unusual: '38;5;94', lost: '38;5;124', cursor: '38;5;26', ok: '38;5;28' },
  },
}

/** Sets colours of a line apart from the named styles' places in {@link STYLES}. */
const RGB = 0x1000000
const PLACES: ReadonlyMap<string, number> = new Map(STYLES.map((style, i) => [style, i]))

/** Encodes a style as a number, as cells keep it; a colour that is none is plain. */
export function styleCode(style: Style): number {
  const place = PLACES.get(style)
  if (place !== undefined) return place
  return /^#[0-9a-f]{6}$/.test(style) ? RGB | Number.parseInt(style.slice(1), 16) : 0
}

/**
 * Returns the sequence that begins a style, whichever style was before it.
 * @param style as a number: see {@link styleCode}
 */
export function styleSequence(style: number, depth: ColorDepth): string {
  const code = style < RGB ? CODES[depth][STYLES[style]!] : nearestColor(style - RGB, depth)
  return code === '' ? '\x1b[0m' : `\x1b[0;${code}m`
}

/** Colours as xterm shows the sixteen, and what chooses them for text. */
const SIXTEEN: readonly (readonly [rgb: number, code: string])[] = [
  ...(
    [0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5] as const
  ).map((rgb, i) => [rgb, String(30 + i)] as const),
  ...(
    [0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff] as const
  ).map((rgb, i) => [rgb, String(90 + i)] as const),
]
/** Levels of each part of a colour in the cube of the 256, which begins at 16. */
const LEVELS = [0, 95, 135, 175, 215, 255] as const
/** Greys of the 256, from 232 on. */
const GREYS = Array.from({ length: 24 }, (_, i) => 8 + 10 * i)

const known = new Map<string, string>()
const KNOWN_LIMIT = 1000

function nearestColor(rgb: number, depth: ColorDepth): string {
  if (depth === 'none') return ''
  const key = `${depth} ${rgb}`
  let code = known.get(key)
  if (code === undefined) {
    code = depth === '16' ? nearest(SIXTEEN, rgb) : nearest(palette256(), rgb)
    if (known.size < KNOWN_LIMIT) known.set(key, code)
  }
  return code
}

function* palette256(): Generator<readonly [rgb: number, code: string]> {
  for (let i = 0; i < 216; i++) {
    const [red, green, blue] = [Math.floor(i / 36), Math.floor(i / 6) % 6, i % 6]
    const rgb = (LEVELS[red]! << 16) | (LEVELS[green]! << 8) | LEVELS[blue]!
    yield [rgb, `38;5;${16 + i}`]
  }
  for (const [i, grey] of GREYS.entries()) yield [grey * 0x010101, `38;5;${232 + i}`]
}

function nearest(colors: Iterable<readonly [rgb: number, code: string]>, rgb: number): string {
  let found = ''
  let least = Number.POSITIVE_INFINITY
  for (const [each, code] of colors) {
    const distance = colorDistance(each, rgb)
    if (distance >= least) continue
    found = code
    least = distance
  }
  return found
}

/** Computes a distance as eyes see it, roughly: green counts most, blue least. */
function colorDistance(a: number, b: number): number {
  const part = (shift: number): number => (((a >> shift) & 255) - ((b >> shift) & 255)) ** 2
  return 3 * part(16) + 4 * part(8) + 2 * part(0)
}

export interface ColorWishes {
  /** False with `--no-color`. */
  readonly color: boolean
  readonly isTerminal: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  /** Paper of the terminal, where the person has said it; else the environment may know. */
  readonly theme?: 'dark' | 'light' | undefined
}

/** Tells whether an output can show a screen: a terminal, and one that moves its cursor. */
export function hasScreen(
  output: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return output.isTTY === true && env.TERM !== 'dumb'
}

/** Chooses the depth; NO_COLOR counts when it is not empty (no-color.org). */
export function colorDepth({ color, isTerminal, env, theme }: ColorWishes): ColorDepth {
  if (!color || !isTerminal || env.NO_COLOR || env.TERM === 'dumb') return 'none'
  if (!env.COLORTERM && !env.TERM?.includes('256color')) return '16'
  return (theme ?? themeOf(env)) === 'light' ? '256-light' : '256'
}

/** Reads COLORFGBG, `15;0` or `0;default;15`, whose last part is the paper's colour of sixteen. */
function themeOf({ COLORFGBG = '' }: ColorWishes['env']): 'dark' | 'light' {
  return /;(?:7|9|1[0-5])$/.test(COLORFGBG) ? 'light' : 'dark'
}
