/**
 * Lists in documents say what the program says: of dialects, of commands, of the counters of
 * Node.Runtime.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createProgram } from '../src/cli/main.ts'
import { CounterRegistry, nodeRuntime } from '../src/instrument/index.ts'
import { dialectTable, withTable } from '../tools/tables.ts'
import { DIALECTS } from './support/dialects.ts'
import { FakeClock } from './support/fake-clock.ts'

test('the table of dialects has a row for each, with its roles and its port', () => {
  const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  assert.equal(withTable(text, dialectTable(DIALECTS)), text, 'npm run docs')
})

test('the README lists the commands that there are', async () => {
  const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, list = ''] = /lists all commands: ([^.]*)\./.exec(text) ?? []
  const listed = Array.from(list.matchAll(/`([^`]+)`/g), ([, name]) => name)
  const names = (await createProgram()).commands.map((command) => command.name())
  assert.deepEqual(listed.toSorted(), names.toSorted())
})

test('the table of Node.Runtime has a row for each counter, with its kind and unit', async () => {
  const text = readFileSync(new URL('../docs/node-runtime.md', import.meta.url), 'utf8')
  const rows = text.split('\n').filter((line) => line.startsWith('| `'))
  const documented = rows.map((row) =>
    row
      .split('|')
      .slice(1, 4)
      .map((cell) => cell.trim()),
  )
  const clock = new FakeClock()
  const registry = new CounterRegistry({ clock })
  const counters: string[][] = []
  registry.onCounter(({ kind, counter: { description } }) => {
    if (kind !== 'added') return
    const { name, units, rateScaleSec } = description
    counters.push([`\`${name}\``, units, `${rateScaleSec}`])
  })
  nodeRuntime(registry, { clock })
  const kinds = new Map<string, 'sum' | 'mean'>()
  registry.open({ intervalMs: 1000, deliver: 'own' }, ({ windows }) => {
    for (const { counter, statistics } of windows) kinds.set(counter.name, statistics.kind)
  })
  await new Promise((next) => setImmediate(next))
  clock.advance(1000)
  const actual = counters.map(([name, units]) => {
    const kind = { sum: 'Sum', mean: 'Mean', none: 'no window' }
    return [name, kind[kinds.get(name!.slice(1, -1)) ?? 'none'], units]
  })
  assert.deepEqual(
    documented.toSorted().filter(([name]) => name !== '`alloc-rate`'),
    actual.toSorted().filter(([name]) => name !== '`alloc-rate`'),
  )
})
