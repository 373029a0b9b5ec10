/** A machine's limit: a receiver in C (text-receiver.c), compiled where there is a compiler. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { VALUE } from '../load/measurements.ts'
import { endWithUs, type Receiver } from './receiver.ts'

export const C_RECEIVER = 'C receiver'

/** Starts it; a text says why that can't be. */
export async function startCReceiver(): Promise<Receiver | string> {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-bench-c-'))
  const program = join(folder, 'text-receiver')
  const source = join(import.meta.dirname, 'text-receiver.c')
  try {
    execFileSync('cc', ['-O2', '-o', program, source], { stdio: ['ignore', 'ignore', 'inherit'] })
  } catch (error) {
    rmSync(folder, { recursive: true })
    return `cc did not work: ${(error as Error).message.split('\n')[0]}`
  }
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  endWithUs(child)
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<number> => Number((await answers.next()).value)
  const port = await next()
  return {
    title: C_RECEIVER,
    pid: child.pid!,
    syntax: 'statshero',
    udpPort: port,
    tcpPort: port,
    async received() {
      child.stdin.write('\n')
      return (await next()) / VALUE
    },
    async stop() {
      const exited = once(child, 'exit')
      child.stdin.end()
      await exited
      rmSync(folder, { recursive: true })
    },
  }
}
