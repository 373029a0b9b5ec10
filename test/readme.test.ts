/** The README's table of dialects says what the registry says. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { DIALECTS } from '../src/dialects/index.ts'
import { parseConfig } from '../src/hub/index.ts'

test('the table of dialects has a row for each, with its roles and its port', () => {
  const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('| [') && line.includes('/dialects/'))
  const { textPort, streamPort } = parseConfig({})
  const expected = DIALECTS.map(({ name, document, roles, transports, port }) => {
    const number = port === 'text' ? textPort : streamPort
    const role = (does: string | undefined): string => (does === undefined ? '' : `${does}s`)
    const cells = [
      `[${name}](src/dialects/${name}/README.md)`,
      document,
      role(roles.server),
      role(roles.client),
      port === undefined ? '' : `${number} ${transports.join(', ')}`,
    ]
    return `| ${cells.map((cell) => cell || '–').join(' | ')} |`
  })
  assert.deepEqual(rows, expected)
})
