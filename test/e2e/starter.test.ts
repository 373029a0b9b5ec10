/** A hub whose starter goes away: the older Node that handed over was killed, or told to end. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { PROGRAM } from '../support/hub/hub-process.ts'
import { portFlags } from '../support/ports.ts'

const FREE_PORTS = portFlags(0)

test('a hub finishes and ends with 0 when the process that started it goes away', async () => {
  const args = [PROGRAM, 'serve', '--log', 'json', ...FREE_PORTS]
  const hub = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let log = ''
  hub.stderr!.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  await once(createInterface({ input: hub.stdout! }), 'line')
  hub.disconnect()
  const [code] = await once(hub, 'exit')
  assert.equal(code, 0, log)
  assert.match(log, /"stopped"/)
})

for (const [title, command, script] of [
  ['npm run demo', 'demo', { npm_package_name: 'pentameter', npm_lifecycle_event: 'demo' }],
  [
    'npx pentameter serve',
    'serve',
    { npm_package_name: 'app', npm_lifecycle_event: 'npx', npm_lifecycle_script: "'pentameter'" },
  ],
] as const) {
  test(`${title} ends when its shell is ended alone, as npm does on SIGTERM`, async () => {
    const env = { ...process.env, ...script }
    const flags = `--log json ${FREE_PORTS.join(' ')}`
    const line = `"${process.execPath}" "${PROGRAM}" ${command} ${flags}; :`
    const shell = spawn('sh', ['-c', line], { stdio: ['ignore', 'pipe', 'pipe'], env })
    let log = ''
    shell.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
    await once(createInterface({ input: shell.stdout }), 'line')
    shell.kill('SIGTERM')
    await once(shell, 'close') // the hub holds the pipes for as long as it lives
    assert.match(log, /"stopped"/)
  })
}

const OF_NPX = { npm_lifecycle_event: 'npx', npm_lifecycle_script: "'pentameter'" }
const ofLinux = process.platform === 'linux' ? {} : { skip: 'jobs are read from /proc of Linux' }

test('a hub of npx does not begin when its shell has gone before it', ofLinux, async () => {
  const begin = `exec "${process.execPath}" "${PROGRAM}" serve ${FREE_PORTS.join(' ')}`
  const line = `(while kill -0 $$ 2>&-; do :; done; ${begin}) & echo here; wait`
  const shell = spawn('sh', ['-c', line], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...OF_NPX },
    detached: true, // a job of its own, as a terminal gives to npx
  })
  let printed = ''
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    if (printed === 'here\n') shell.kill('SIGKILL')
  })
  await once(shell, 'close') // a hub would hold the pipe for as long as it lives
  assert.equal(printed, 'here\n')
})

test('a command that has nothing to finish ends when its starter goes away', async () => {
  const args = [PROGRAM, 'decode', 'statshero']
  const command = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit', 'ipc'] })
  command.disconnect()
  const [code] = await once(command, 'exit')
  assert.equal(code, 1)
})

test('a checkout prints the help that was built, until a source is changed', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'pentameter-starter-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const source = 'src/cli/main.ts'
  write('package.json', '{ "type": "module" }')
  write(source, 'export async function main() { console.log("of the sources"); return 0 }')
  write('dist/cli/texts.json', JSON.stringify({ '--help': 'of the build\n' }))
  write('dist/sources.json', JSON.stringify({ [source]: statSync(join(root, source)).mtimeMs }))
  mkdirSync(join(root, 'bin'))
  const program = join(root, 'bin/pentameter.js')
  copyFileSync(PROGRAM, program)
  const help = (): string => String(spawnSync(process.execPath, [program, '--help']).stdout)

  assert.equal(help(), 'of the build\n')
  utimesSync(join(root, source), new Date(), new Date())
  assert.equal(help(), 'of the sources\n')
})
