/**
 * Names that all have one hash under the hash of the text codec as it was without a seed: whatever
 * a beginning has come to, there is one word that leads from there to the same end. Beginnings are
 * tried until that word consists of printable characters.
 */
const FACTOR = 0x9e3779b1
/** Value that the last word makes of every hash; any would do. */
const MEETING = 0x12345678
const FIRST_LETTER = 0x61
const LETTERS = 26

function addWord(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, FACTOR)
  return product ^ (product >>> 15)
}

/** Makes names of one hash and one length, none of them twice. */
export function collidingNames(count: number): string[] {
  const names: string[] = []
  const bytes = Buffer.alloc(12)
  for (let tried = 0; names.length < count; tried++) {
    for (let i = 0, rest = tried; i < 8; i++, rest = Math.floor(rest / LETTERS)) {
      bytes[i] = FIRST_LETTER + (rest % LETTERS)
    }
    const hash = addWord(addWord(0, bytes.readInt32LE(0)), bytes.readInt32LE(4))
    bytes.writeInt32LE(hash ^ MEETING, 8)
    if (isPlain(bytes)) names.push(bytes.toString('latin1'))
  }
  return names
}

/** Tells whether all bytes are printable and none ends a name. */
function isPlain(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte > 0x20 && byte < 0x7f && byte !== 0x3a && byte !== 0x7c)
}
