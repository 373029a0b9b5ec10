import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dropsOf } from './kernel-drops.ts'

/** The columns between the local port and the drops, as the kernel prints them. */
const BETWEEN =
  '00000000:0000 07 00000000:00000000 00:00000000 00000000 0 0 4711 2 0000000000000000'
const TABLE = [
  '   sl  local_address rem_address   st tx_queue rx_queue tr … inode ref pointer drops',
  `  123: 0100007F:1FBD ${BETWEEN} 17`,
  `  124: 0200007F:1FBD ${BETWEEN} 5`,
  `  125: 0100007F:1389 ${BETWEEN} 9`,
  '',
].join('\n')

test('drops of all sockets of a port are added, others are not', () => {
  assert.equal(dropsOf(TABLE, 8125), 22)
  assert.equal(dropsOf(TABLE, 5001), 9)
  assert.equal(dropsOf(TABLE, 81), 0)
})
