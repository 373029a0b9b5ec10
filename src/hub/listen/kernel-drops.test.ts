import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KernelDrops } from './kernel-drops.ts'

/** A line as the kernel prints it. */
function line(local: string, inode: number, drops: number): string {
  const between = '00000000:0000 07 00000000:00000000 00:00000000 00000000 0 0'
  return `  123: ${local} ${between} ${inode} 2 0000000000000000 ${drops}`
}

function table(...lines: readonly string[]): string {
  const head =
    '   sl  local_address rem_address   st tx_queue rx_queue tr … inode ref pointer drops'
  return [head, ...lines, ''].join('\n')
}

test('the sockets of a port are found by their inodes, others are not', () => {
  const text = table(
    line('0100007F:1FBD', 4711, 17),
    line('0200007F:1FBD', 4712, 5),
    line('0100007F:1389', 4713, 9),
  )
  const drops = new KernelDrops()
  assert.equal(drops.take([text], 8125), 17 + 5)
  assert.equal(drops.take([table(line('0100007F:1FBD', 4712, 7))], 8125), 17 + 5 + 2)
  assert.equal(new KernelDrops().take([text], 5001), 9)
  assert.equal(new KernelDrops().take([text], 81), 0)
})

test('drops of all sockets of a port are added, and stay when one is replaced', () => {
  const drops = new KernelDrops()
  const a = '0100007F:1FBD'
  assert.equal(drops.take([table(line(a, 1, 17), line(a, 2, 5))], 8125), 22)
  assert.equal(drops.take([table(line(a, 1, 18), line(a, 2, 5))], 8125), 23)
  assert.equal(drops.take([table(line(a, 3, 0), line(a, 2, 6))], 8125), 24)
  assert.equal(drops.take([table(line(a, 3, 4)), table(line(a, 4, 1))], 8125), 29)
})
