#!/usr/bin/env node
/**
 * Starts the command line. Written for old Nodes too: where the one that runs this is older than
 * the product needs, the pinned one from the lock file takes over; without that it says so.
 * Runs the built files where they are (the package), the sources otherwise (a checkout).
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

const OLDEST_MAJOR = 24
const SHELL_WATCH_MS = 500
const root = new URL('..', import.meta.url)
const built = fileURLToPath(new URL('dist/cli/main.js', root))
const source = fileURLToPath(new URL('src/cli/main.ts', root))
const isCheckout = existsSync(source)
const entry = isCheckout ? source : built

if (Number(process.versions.node.split('.')[0]) >= OLDEST_MAJOR) {
  endWithStarter()
  if (process.channel === undefined) onScriptEnd(() => process.emit('disconnect'))
  const { main } = await import(pathToFileURL(entry).href)
  process.exitCode = await main(process.argv.slice(2))
} else {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const pinned = fileURLToPath(new URL(`node_modules/.bin/${name}`, root))
  if (existsSync(pinned)) {
    const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
    handOver(pinned, args)
  } else {
    process.stderr.write(
      `pentameter needs Node ${OLDEST_MAJOR} or newer, this is ${process.version}. ` +
        'In a checkout, `npm ci` brings the right one.\n',
    )
    process.exitCode = 1
  }
}

/**
 * Runs the command under the pinned Node and ends as it does. A signal closes the channel between
 * the two, which asks the command to finish however many signals it got itself (a terminal sends
 * them to both); a second one ends it. The channel also closes when this process is killed.
 */
function handOver(node, args) {
  const child = spawn(node, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  const onSignal = () => {
    if (child.connected) child.disconnect()
    else child.kill('SIGKILL')
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal)
  onScriptEnd(() => {
    if (child.connected) child.disconnect()
  })
  child.on('error', (error) => {
    process.stderr.write(`pentameter: ${node} does not start: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code) => process.exit(code ?? 1))
}

/** The other side: commands that have nothing of their own to finish end at once. */
function endWithStarter() {
  if (process.channel === undefined) return
  process.on('disconnect', () => {
    if (process.listenerCount('disconnect') === 1) process.exit(1)
  })
  process.channel.unref()
}

/**
 * `npm run demo` and `npm start`: npm sends a signal to its shell alone, and not every shell passes
 * it on. Only these two scripts: what another script starts may be meant to outlive it.
 */
function onScriptEnd(finish) {
  const { npm_package_name: name, npm_lifecycle_event: script } = process.env
  if (name !== 'pentameter' || (script !== 'demo' && script !== 'start')) return
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    finish()
  }, SHELL_WATCH_MS)
  watch.unref()
}
