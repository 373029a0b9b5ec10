/** The colour tokens as the theme has them, read once per theme. */
export type Token =
  | 'bg'
  | 'line'
  | 'edge'
  | 'ink'
  | 'ink2'
  | 'ink3'
  | 'trace'
  | 'trace-fill'
  | 'accent'
  | 'warn'
  | 'warn-mark'
  | 'error'

export type Ramp = 'faint' | 'heat'

export interface Palette {
  color(token: Token): string
  /** Steps of growing contrast with the paper. */
  ramp(name: Ramp): readonly string[]
  readonly font: string
}

export function readPalette(root: Element): Palette {
  const style = getComputedStyle(root)
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  const colors = new Map<Token, string>()
  const ramps = new Map<Ramp, readonly string[]>()
  return {
    color(token) {
      let color = colors.get(token)
      if (color === undefined) {
        color = read(token)
        colors.set(token, color)
      }
      return color
    },
    ramp(name) {
      let steps = ramps.get(name)
      if (steps === undefined) {
        steps = read(name).split(/\s+/)
        ramps.set(name, steps)
      }
      return steps
    },
    font: read('font'),
  }
}
