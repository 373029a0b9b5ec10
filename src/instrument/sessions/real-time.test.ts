import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { EventCounter } from '../counters/event-counters.ts'
import { CounterRegistry, EventSource } from '../registry.ts'

const run = promisify(execFile)

suite('sessions in real time', () => {
  test('boundaries come by themselves, one after the other', async () => {
    const registry = new CounterRegistry()
    const source = new EventSource('Real', { registry })
    const counter = new EventCounter('c', source)
    const lengths: number[] = []
    // What keeps the process alive while it waits, for a session does not.
    const alive = setInterval(() => counter.writeMetric(1), 1)
    await new Promise<void>((resolve) => {
      const session = registry.open({ intervalMs: 20, deliver: 'own' }, ({ windows }) => {
        for (const { intervalSec } of windows) lengths.push(intervalSec)
        if (lengths.length < 3) return
        session?.close()
        resolve()
      })
    })
    clearInterval(alive)
    assert.equal(lengths.length, 3)
    assert.ok(lengths.every((seconds) => seconds > 0))
  })

  test('a process with open sessions ends when its own work is done', async () => {
    const index = new URL('../index.ts', import.meta.url)
    const script = `
      import { EventCounter, EventSource, defaultRegistry } from '${index}'
      const source = new EventSource('Short')
      new EventCounter('c', source).writeMetric(1)
      defaultRegistry().open({ intervalMs: 3_600_000, deliver: 'own' }, () => {})
      console.info('done')`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script])
    assert.equal(stdout, 'done\n')
  })
})
