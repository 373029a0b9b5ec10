#!/usr/bin/env node
/**
 * Starts the command line. Written for old Nodes too: where the one that runs this is older than
 * the product needs, the pinned one from the lock file takes over; without that it says so.
 * Runs the built files where they are (the package), the sources otherwise (a checkout).
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

const OLDEST_MAJOR = 24
const root = new URL('..', import.meta.url)
const built = fileURLToPath(new URL('dist/cli/main.js', root))
const source = fileURLToPath(new URL('src/cli/main.ts', root))
const isCheckout = existsSync(source)
const entry = isCheckout ? source : built

if (Number(process.versions.node.split('.')[0]) >= OLDEST_MAJOR) {
  const { main } = await import(pathToFileURL(entry).href)
  process.exitCode = await main(process.argv.slice(2))
} else {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const pinned = fileURLToPath(new URL(`node_modules/.bin/${name}`, root))
  if (existsSync(pinned)) {
    const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
    const { status, signal } = spawnSync(pinned, args, { stdio: 'inherit' })
    process.exitCode = signal === null ? (status ?? 1) : 1
  } else {
    process.stderr.write(
      `pentameter needs Node ${OLDEST_MAJOR} or newer, this is ${process.version}. ` +
        'In a checkout, `npm ci` brings the right one.\n',
    )
    process.exitCode = 1
  }
}
