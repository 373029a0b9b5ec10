/**
 * Patterns of names (src/model/text/glob.ts), which come in queries, deletions and options: the
 * linear matcher says what a regular expression of the same meaning says. An input is pattern, NUL,
 * text.
 */
import assert from 'node:assert/strict'
import { compileGlob } from '../../../src/model/text/glob.ts'
import type { Random } from '../engine/random.ts'
import { text } from '../engine/values.ts'
import type { FuzzTarget } from '../target.ts'

/** A regular expression tries again from every place: more would take it minutes. */
const STARS_MAX = 4
const LENGTH_MAX = 80

/** @returns pattern, text, and whether they match because the text was made of the pattern */
function makeGlob(random: Random): [string, string, boolean] {
  // what begins and ends alike, and is too short for both
  if (random.isOnceIn(8)) return ['ab*ba', random.pick(['aba', 'ab', 'abba']), false]
  let pattern = ''
  let name = ''
  for (let left = random.below(5); left > 0; left--) {
    const part = random.isOnceIn(3) ? random.pick(['a', 'aa', 'b', '.']) : text(random, 6)
    const isStar = random.isOnceIn(2)
    pattern += isStar ? '*' : part.replaceAll('*', '')
    name += isStar ? part.repeat(random.below(3)) : part.replaceAll('*', '')
  }
  const isWhole = !random.isOnceIn(3)
  return [pattern, isWhole ? name : name + random.pick(['x', '', 'a', '*']), isWhole]
}

type Compile = typeof compileGlob

function check(bytes: Uint8Array, compile: Compile): void {
  const [pattern = '', ...rest] = Buffer.from(bytes).toString().split('\0')
  const name = rest.join('\0')
  if (pattern.split('*').length > STARS_MAX + 1 || name.length > LENGTH_MAX) {
    compile(pattern)(name)
    return
  }
  for (const ignoresCase of [false, true]) {
    const fold = (each: string) => (ignoresCase ? each.toLowerCase() : each)
    const parts = fold(pattern).split('*')
    const source = parts.map((part) => part.replace(/[\\^$.|?*+()[\]{}/]/g, '\\$&')).join('[^]*')
    const expected = new RegExp(`^${source}$`).test(fold(name))
    assert.equal(compile(pattern, { ignoresCase })(name), expected, JSON.stringify([pattern, name]))
  }
}

export const globs: FuzzTarget = {
  name: 'globs',
  seeds: () => ['*\0', 'a*b\0acb', '*a*a*.x\0aa.x', '\0', 'a\0a'].map((each) => Buffer.from(each)),

  generate(random) {
    const [pattern, name, isMatch] = makeGlob(random)
    const bytes = Buffer.from(`${pattern}\0${name}`)
    const isSayable = !`${pattern}${name}`.includes('\0')
    if (!isMatch || !isSayable) return { bytes }
    return { bytes, check: () => assert.ok(compileGlob(pattern)(name), `${pattern} ${name}`) }
  },

  run: (bytes) => check(bytes, compileGlob),

  canary: {
    fault: 'the end of a name may be used twice',
    run: (bytes) =>
      check(bytes, (pattern, options) => {
        const matches = compileGlob(pattern, options)
        const [first = '', last = ''] = pattern.split('*')
        return (name) =>
          pattern === `${first}*${last}` && options?.ignoresCase !== true
            ? name.startsWith(first) && name.endsWith(last)
            : matches(name)
      }),
  },
}
