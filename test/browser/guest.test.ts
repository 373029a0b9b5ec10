/**
 * The page of the made-up dialect of test/guest: in a copy of the tree that has its folder and one
 * line, the bundler finds its view, and a hub that speaks it shows what was sent.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { startHub } from '../../src/start-hub.ts'
import { makeGuestTree } from '../support/guest-tree.ts'
import { FREE_PORTS } from '../support/ports.ts'
import { type Served, skip, until, useBrowser } from './browser.ts'

const open = useBrowser()
const copy = skip === false ? makeGuestTree() : ''
after(() => {
  if (copy !== '') rmSync(copy, { recursive: true, force: true })
})

/** A hub of the copy's sources with the copy's page, told of one lamp. */
async function serveCopy(): Promise<Served> {
  const vite = join(copy, 'node_modules/vite/bin/vite.js')
  const args = [vite, 'build', '--config', 'src/web/vite.config.ts', '--logLevel', 'warn']
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const sources: { startHub: typeof startHub } = await import(join(copy, 'src/start-hub.ts'))
  const config = { ...FREE_PORTS, ingestWorkers: 0 }
  const hub = await sources.startHub({ config })
  const { text, http } = hub.addresses
  const socket = connect({ host: text!.host, port: text!.port })
  socket.end('!g lamp.voltage 11.9\n')
  socket.resume()
  await once(socket, 'close')
  return { url: `http://${http!.host}:${http!.port}`, stop: () => hub.close() }
}

test('it has a tab, a key, an address and what was sent', { skip }, async (t) => {
  const { page } = await open(t, { serve: serveCopy })
  await page.getByRole('link', { name: 'Semaphore' }).click()
  await until(
    page,
    '/lamp\\.voltage\\s*11\\.9\\sV/.test(document.querySelector("[aria-label=Lamps]")?.innerText)',
  )
  assert.equal(new URL(page.url()).pathname, '/semaphore')
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await until(page, 'location.pathname === "/"')
  await page.keyboard.press('g')
  await page.keyboard.press('m')
  await until(page, 'location.pathname === "/semaphore"')
  await page.goto(`${new URL(page.url()).origin}/semaphore?least=12`)
  await page.getByRole('heading', { name: 'Lamps' }).waitFor()
  await until(page, 'document.querySelectorAll("[aria-label=Lamps] tbody tr").length === 0')
})
