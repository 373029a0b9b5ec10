import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { packet, sendUdp, startHub } from '../../../test/support/hub/hub.ts'
import { readTree } from '../../../test/tidy/tree.ts'

interface Documented {
  readonly name: string
  readonly kinds: readonly string[]
  readonly unit: string | undefined
  readonly labels: readonly string[]
  readonly meaning: string
}

/** Among the kinds in the document. */
const UNITS: readonly string[] = ['bytes', 'seconds']
const words = (text: string): string[] => text.split(/,\s*/).filter((word) => word !== '')

/** Table of meanings, which says nothing of what there is. */
const MEANINGS = 'src/hub/status/own-meanings.ts'
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

const ROW = /^\| `(pentameter\.[^`]+)` *\|([^|]*)\|([^|]*)\|([^|]*)\|/gm

/** The rows of docs/self-metrics.md, and of dialects that have theirs in their own README. */
function documented(): Documented[] {
  const paths = ['docs/self-metrics.md', ...globSync('src/dialects/*/README.md', { cwd: ROOT })]
  const text = paths.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n')
  return [...text.matchAll(ROW)].map(([, name = '', kinds = '', labels = '', meaning = '']) => ({
    name,
    kinds: words(kinds.trim()).filter((word) => !UNITS.includes(word)),
    unit: words(kinds.trim()).find((word) => UNITS.includes(word)),
    labels: words(labels.trim()),
    meaning: meaning
      .trim()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll('`', ''),
  }))
}

/** Tells of files whose names are what a browser keeps, none of metrics. */
function isOfPage(path: string): boolean {
  return path.startsWith('src/web/') || /^src\/dialects\/\w+\/view\//.test(path)
}

test('the document lists every metric that the sources name, and no other', () => {
  const tree = readTree(ROOT)
  const sources = tree
    .under('src', '.ts')
    .filter(({ path }) => !path.endsWith('.test.ts') && path !== MEANINGS && !isOfPage(path))
  const named = new Set(
    sources.flatMap(({ text }) => text.match(/(?<=')pentameter\.[a-z.]+(?=')/g) ?? []),
  )
  const listed = documented().map(({ name }) => name)
  assert.deepEqual(listed.toSorted(), [...named].sort())
})

test('what a hub says of itself has kind, unit, labels and meaning as documented', async () => {
  const started = await startHub({ seriesLimit: 1 })
  const { hub, clock } = started
  await sendUdp(started, [packet('a:1|m\nb:1|m\nbad\n'), Buffer.from('?')])
  clock.advance(3000)
  const rows = new Map(documented().map((row) => [row.name, row]))
  const own = [...hub.series].filter(({ metadata }) => metadata.dialect === 'hub')
  assert.ok(own.length > 40, `${own.length} series`)
  for (const { identity, metadata } of own) {
    const { name, kind, labels } = identity
    const row = rows.get(name)
    assert.ok(row, `${name} is not in the document`)
    assert.ok(row.kinds.includes(kind), `${name} is a ${kind}`)
    assert.equal(metadata.unit, row.unit, name)
    assert.ok(kind !== 'gauge' || !name.endsWith('count'), name)
    assert.equal(metadata.description, row.meaning, name)
    assert.deepEqual(
      labels.map(([key]) => key),
      row.labels.toSorted(),
      name,
    )
  }
  await hub.stop()
})
