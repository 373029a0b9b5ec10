/**
 * Holds the project's shape: every rule of test/tidy runs over the whole tree, and is itself tried
 * on planted faults, because a rule that finds nothing may just be blind.
 */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FAULTS } from './tidy/faults/index.ts'
import { isPending } from './tidy/pending.ts'
import { RULES } from './tidy/rules.ts'
import { readTree, Tree, type Violation } from './tidy/tree.ts'

const project = readTree(fileURLToPath(new URL('..', import.meta.url)))

suite('in this project', () => {
  for (const rule of RULES) {
    test(rule.title, () => {
      const found = rule.check(project).filter((violation) => !isPending(rule, violation))
      assert.ok(found.length === 0, `\n${found.map(show).join('\n')}`)
    })
  }
})

suite('planted faults', () => {
  for (const { rule, fault, files, at } of FAULTS) {
    test(`found: ${fault}`, () => {
      const found = rule.check(Tree.of(files))
      assert.deepEqual(
        found.map(({ path, line }) => `${path}:${line}`),
        at,
      )
      for (const { message } of found) assert.ok(message.length > 10, 'says what to do')
    })
  }

  test('every rule has a planted fault and a clean tree that it leaves alone', () => {
    for (const rule of RULES) {
      const own = FAULTS.filter((each) => each.rule === rule)
      assert.ok(
        own.some(({ at }) => at.length > 0),
        `no fault planted for: ${rule.title}`,
      )
      assert.ok(
        own.some(({ at }) => at.length === 0),
        `no clean tree for: ${rule.title}`,
      )
    }
  })
})

function show({ path, line, message }: Violation): string {
  return line === 0 ? `${path}: ${message}` : `${path}:${line}: ${message}`
}
