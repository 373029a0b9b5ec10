/** Four processes under the real PM2, killed and restarted by it, add up in a hub exactly once. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { until } from '../support/hub/hub.ts'
import { FREE_PORTS } from '../support/ports.ts'

const SOURCES = new URL('../support/package-sources.ts', import.meta.url).href
const PM2 = process.env.PM2 ?? 'pm2'
const COUNT = 1000
// not by asking it: whatever it is asked begins a daemon
const isThere = spawnSync('sh', ['-c', `command -v '${PM2}'`]).status === 0
const whyNoPm2 = isThere ? undefined : `no ${PM2}; PM2 may name one`

interface Listed {
  readonly pid: number
  readonly pm2_env: { readonly restart_time: number; readonly status: string }
}

/** A PM2 of its own, whose daemon ends with the test. */
class Manager {
  readonly #env: NodeJS.ProcessEnv

  constructor(t: TestContext) {
    const home = mkdtempSync(join(tmpdir(), 'pentameter-pm2-'))
    this.#env = { ...process.env, PM2_HOME: home }
    t.after(() => {
      this.run('kill')
      rmSync(home, { recursive: true, force: true })
    })
  }

  run(...args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync(PM2, args, { env: this.#env, encoding: 'utf8' })
    assert.equal(status, 0, `pm2 ${args.join(' ')}: ${stderr}`)
    return stdout
  }

  list(): Listed[] {
    const text = this.run('jlist')
    return JSON.parse(text.slice(text.indexOf('[{'))) as Listed[]
  }
}

function totalOf(hub: RunningHub): number {
  let sum = 0
  for (const { identity, total } of hub.series()) {
    if (identity.name === 'jobs.done' && total.kind === 'counter') sum += Number(total.total)
  }
  return sum
}

suite('processes under PM2', { skip: whyNoPm2 ?? false }, () => {
  for (const mode of ['fork', 'cluster'] as const) {
    test(`add up in a hub exactly once, killed and restarted: ${mode} mode`, async (t) => {
      const hub = await startHub({ config: FREE_PORTS })
      t.after(() => hub.close())
      const folder = mkdtempSync(join(tmpdir(), 'pentameter-pm2-app-'))
      t.after(() => rmSync(folder, { recursive: true }))
      const app = join(folder, 'app.mjs')
      writeFileSync(
        app,
        `import { connect, counter } from 'pentameter'
         const to = 'pentameter://127.0.0.1:${hub.addresses.http!.port}'
         connect(to, { service: 'jobs', intervalMs: 50, log: () => {} })
         counter('jobs.done').add(${COUNT})
         setInterval(() => {}, 1000)`,
      )
      const manager = new Manager(t)
      const instances = mode === 'cluster' ? ['-i', '4'] : []
      const names = mode === 'cluster' ? ['a'] : ['a', 'b', 'c', 'd']
      for (const name of names) {
        const flags = ['--name', name, '--node-args', `--import ${SOURCES}`, ...instances]
        manager.run('start', app, ...flags, ...(mode === 'fork' ? ['--force'] : []))
      }
      await until(() => totalOf(hub) === 4 * COUNT)
      const killed = manager.list().slice(0, 3)
      for (const { pid } of killed) process.kill(pid, 'SIGKILL')
      await until(() => totalOf(hub) >= 7 * COUNT)
      const started = manager.list().reduce((sum, { pm2_env }) => sum + pm2_env.restart_time + 1, 0)
      assert.deepEqual([started, totalOf(hub)], [7, 7 * COUNT])
    })
  }
})
