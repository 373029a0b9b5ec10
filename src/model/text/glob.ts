/**
 * Patterns in which `*` stands for any run of characters and everything else for itself, for names
 * that peers choose: matched in one pass, whatever the pattern, where a regular expression of the
 * same meaning tries again from every place.
 */

export type Glob = (text: string) => boolean

/** Compiles a pattern for use on many texts. */
export function compileGlob(pattern: string, { ignoresCase = false } = {}): Glob {
  const folded = ignoresCase ? (text: string) => text.toLowerCase() : (text: string) => text
  const [first = '', ...rest] = folded(pattern).split('*')
  const last = rest.pop()
  if (last === undefined) return (text) => folded(text) === first
  const middle = rest.filter((part) => part !== '')
  return (given) => {
    const text = folded(given)
    const end = text.length - last.length
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false
    // the leftmost place of each part leaves the most room for those after it
    let at = first.length
    for (const part of middle) {
      const found = text.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return at <= end
  }
}

/** Tells of bytes[start, end), a text in ASCII, what a {@link Glob} tells of that text. */
export type ByteGlob = (bytes: Uint8Array, start: number, end: number) => boolean

/** Compiles a pattern for use on texts in ASCII where they lie, without a string being made. */
export function compileByteGlob(pattern: string): ByteGlob {
  const encoder = new TextEncoder()
  const [first, ...rest] = pattern.split('*').map((part) => encoder.encode(part))
  const last = rest.pop()
  const front = first!
  if (last === undefined) {
    return (bytes, start, end) => end - start === front.length && isAt(bytes, start, front)
  }
  const middle = rest.filter((part) => part.length > 0)
  return (bytes, start, end) => {
    const lastAt = end - last.length
    if (lastAt - start < front.length || !isAt(bytes, lastAt, last)) return false
    if (!isAt(bytes, start, front)) return false
    let at = start + front.length
    for (let i = 0; i < middle.length; i++) {
      const part = middle[i]!
      while (at + part.length <= lastAt && !isAt(bytes, at, part)) at++
      at += part.length
    }
    return at <= lastAt
  }
}

/** Compares from the end: endings differ there most. */
function isAt(bytes: Uint8Array, at: number, part: Uint8Array): boolean {
  for (let i = part.length - 1; i >= 0; i--) if (bytes[at + i] !== part[i]) return false
  return true
}
