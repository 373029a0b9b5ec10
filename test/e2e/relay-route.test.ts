/**
 * A relay by UDP to an address that has no route when the hub starts: the hub goes on, and once the
 * route is there lines arrive. In a network of its own.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../support/hub/relay-to-late-route.ts', import.meta.url))
const OWN_NETWORK = ['-n', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"']

const { status, stderr } = spawnSync('unshare', [...OWN_NETWORK, 'true'], { encoding: 'utf8' })
const skip = status === 0 ? false : `no network of its own: ${stderr?.trim() || 'no unshare or ip'}`

test('an address without a route is tried again, until lines arrive', {
  skip,
}, () => {
  const args = [...OWN_NETWORK, process.execPath, PROGRAM]
  const run = spawnSync('unshare', args, { encoding: 'utf8', timeout: 60_000 })
  assert.equal(run.status, 0, run.stdout + run.stderr)
  assert.match(run.stdout, /^without a route: .*ENETUNREACH/m)
  assert.match(run.stdout, /arrived once there was one/)
})
