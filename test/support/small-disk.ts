/** A file system of a few MB, for tests of what happens when it is full, or only for reading. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Mounts a small file system of its own; undefined where this process may not. */
export function smallDisk(size: string): string | undefined {
  const folder = mkdtempSync(join(ROOT, 'pentameter-disk-'))
  const options = ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]
  const isMounted = spawnSync('mount', options).status === 0
  after(() => {
    if (isMounted) execFileSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true })
  })
  return isMounted ? folder : undefined
}
