/** The examples do what their first lines say, as a reader would run them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type HubProcess, startHubProcess } from './support/hub-process.ts'

const FOLDER = fileURLToPath(new URL('../examples/', import.meta.url))
/** What each example prints at its end. */
const OUTPUTS: Record<string, RegExp> = {
  'embed.ts': /two seconds with \d+ counters[\s\S]*total \{ kind: 'counter', total: 3, down: 0 \}/,
  'send.ts': /^sent 300 lines$/m,
  'watch.ts': /^(\d+ values: .*\n){3}$/,
}

let hub: HubProcess

before(async () => {
  hub = await startHubProcess('serve')
})
after(() => hub.stop())

test('every example has an expectation here', () => {
  assert.deepEqual(readdirSync(FOLDER), Object.keys(OUTPUTS))
})

for (const [name, expected] of Object.entries(OUTPUTS)) {
  test(`${name} runs and prints what it should`, () => {
    const { listeners } = hub
    const port = name === 'send.ts' ? listeners.text.port : listeners.stream.port
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [`${FOLDER}${name}`, ...(name === 'embed.ts' ? [] : [String(port)])],
      { encoding: 'utf8', timeout: 30_000 },
    )
    assert.equal(status, 0, stderr)
    assert.match(stdout, expected)
  })
}
