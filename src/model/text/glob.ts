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
