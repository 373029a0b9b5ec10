/** Offers datagrams at an even pace by a sender in C (datagram-sender.c): Node's can't keep one. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CProgram, compile, runToEnd } from './c-program.ts'

const SOURCE = fileURLToPath(new URL('datagram-sender.c', import.meta.url))

let program: CProgram | string | undefined

/** Why there can be no even pace here; undefined where there can. */
export function whyNotPaced(): string | undefined {
  program ??= compile(SOURCE)
  return typeof program === 'string' ? program : undefined
}

/**
 * Sends `count` datagrams, the given ones in turn, all of one size.
 * @throws where {@link whyNotPaced} says why
 */
export async function sendPaced(
  port: number,
  datagrams: readonly Buffer[],
  count: number,
  perSecond: number,
): Promise<void> {
  program ??= compile(SOURCE)
  if (typeof program === 'string') throw new Error(program)
  const { length } = datagrams[0]!
  const file = join(program.folder, 'datagrams')
  writeFileSync(file, Buffer.concat(datagrams))
  await runToEnd(program, [`${port}`, file, `${length}`, `${count}`, `${perSecond}`])
}
