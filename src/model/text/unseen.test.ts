import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvRow, escapeUnseen, unseenJson } from './unseen.ts'

/** All of C0, delete and C1, every mark and override of direction, line ends, what has no width. */
const HARMFUL = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i),
  ...[0xad, 0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e],
  ...[0x2066, 0x2067, 0x2068, 0x2069, 0xfeff],
].map((code) => String.fromCharCode(code))
/** Printable ASCII. */
const PLAIN = /^[ -~]*$/

test('every control and every mark of direction is spelled out, in text, JSON and rows', () => {
  for (const character of HARMFUL) {
    const text = `a${character}b`
    assert.match(escapeUnseen(text), PLAIN)
    assert.match(unseenJson({ [text]: text }), PLAIN)
    assert.deepEqual(JSON.parse(unseenJson({ [text]: text })), { [text]: text })
    if (!/[\t\r\n]/.test(character)) assert.match(csvRow([text]).slice(0, -1), PLAIN)
  }
  assert.equal(
    escapeUnseen('\x1b]52;c;x\x07 \x9b2J \u202eexe'),
    '\\x1b]52;c;x\\x07 \\x9b2J \\u202eexe',
  )
})

test('what can be seen stays as it is', () => {
  const text = 'Grüße, 世界 👋 ~'
  assert.equal(escapeUnseen(text), text)
  assert.equal(unseenJson([text, 2n ** 64n, undefined]), `["${text}","18446744073709551616",null]`)
  assert.equal(unseenJson(undefined), 'null')
})

test('a text that a spreadsheet would calculate is a text, a number stays one', () => {
  assert.equal(
    csvRow(['=1+1', '+a', '-a', '@a', '\ta', -5, null, Number.NaN]),
    "'=1+1,'+a,'-a,'@a,'\ta,-5,,\n",
  )
  assert.equal(csvRow(['a"b', 'c,d', 'e\nf']), '"a""b","c,d","e\nf"\n')
})
