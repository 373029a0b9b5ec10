/** docs/formats/zone.md says what layout.ts says: header, descriptor, types, modes and slots. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  DESCRIPTOR_INTS,
  ENTRY_INTS,
  HEADER,
  HEADER_INTS,
  METRIC_MODES,
  METRIC_TYPES,
  PAGE_WORDS,
  RING_WORDS,
  SLOT_CLASSES,
  SLOT_WORDS,
  VERSION,
} from '../src/shm/layout.ts'

const text = readFileSync(new URL('../docs/formats/zone.md', import.meta.url), 'utf8')
/** Fields with room for more than one int, and how many are described. */
const WIDE: Partial<Record<keyof typeof HEADER, number>> = {
  slotCursors: 16,
  partPages: 8,
  freeMetrics: 16,
  refusals: 16,
  zoneId: 2,
  hashKey: 2,
  sequence: 2,
}

test('every int of the header has its row, and no row is of another int', () => {
  const described = tableAfter('## Header').flatMap(([ints = '']) => numbersOf(ints))
  const laidOut = Object.entries(HEADER).flatMap(([name, at]) => {
    return Array.from({ length: WIDE[name as keyof typeof HEADER] ?? 1 }, (_, i) => at + i)
  })
  assert.deepEqual(described.toSorted(ascending), laidOut.toSorted(ascending))
})

test('sizes in headings and drawings are those of the layout', () => {
  assert.match(text, new RegExp(`^## Header, ${4 * HEADER_INTS} bytes$`, 'm'))
  assert.match(text, new RegExp(`header ${4 * HEADER_INTS} B \\| segment entries`))
  assert.match(text, new RegExp(`^segment entry, ${4 * ENTRY_INTS} B `, 'm'))
  assert.match(text, new RegExp(`^descriptor, ${4 * DESCRIPTOR_INTS} B `, 'm'))
  assert.match(text, new RegExp(`^\\| 1 \\| version = ${VERSION} \\|`, 'm'))
})

test('types are numbered, their modes in order and their slots as long as written', () => {
  const rows = tableAfter('## Metrics')
  assert.equal(rows.length, METRIC_TYPES.length)
  for (const [i, type] of METRIC_TYPES.entries()) {
    const [name, modes = '', words = ''] = rows[i]!
    assert.equal(name, `${i} ${type}`)
    assert.deepEqual(
      [...modes.matchAll(/`(\w+)`/g)].map(([, mode]) => mode),
      METRIC_MODES[type],
    )
    const lengths = SLOT_CLASSES.flatMap((each, at) => (each.type === type ? SLOT_WORDS[at]! : []))
    assert.deepEqual(new Set(words.split('; ').map(Number)), new Set(lengths), type)
  }
})

test('bytes of a slot and slots of a chunk follow from the words', () => {
  const rows = tableAfter('## Segments')
  const lengths = rows.map(([, words = '']) => Number.parseInt(words, 10))
  const known = new Set([...SLOT_WORDS.filter((words) => words > 0), RING_WORDS])
  assert.deepEqual(new Set(lengths), known)
  for (const [i, [name = '', , bytes = '', slots]] of rows.entries()) {
    assert.equal(Number.parseInt(bytes, 10), 8 * lengths[i]!, name)
    assert.equal(Number(slots), Math.floor(PAGE_WORDS / lengths[i]!), name)
  }
})

/** Cells of the first table behind a heading, without its head. */
function tableAfter(heading: string): string[][] {
  const start = text.indexOf(`\n${heading}`)
  assert.notEqual(start, -1, heading)
  const lines = text.slice(start).split('\n')
  const first = lines.findIndex((line) => line.startsWith('|'))
  const end = lines.findIndex((line, i) => i > first && !line.startsWith('|'))
  return lines.slice(first + 2, end).map((line) => {
    // a bar inside a cell is escaped
    const cells = line.split(/(?<!\\)\|/)
    return cells.slice(1, -1).map((cell) => cell.trim())
  })
}

/** `6, 7` and `44 to 59`. */
function numbersOf(ints: string): number[] {
  const range = /^(\d+) to (\d+)$/.exec(ints)
  if (range === null) return ints.split(', ').map(Number)
  const first = Number(range[1])
  return Array.from({ length: Number(range[2]) - first + 1 }, (_, i) => first + i)
}

function ascending(a: number, b: number): number {
  return a - b
}
