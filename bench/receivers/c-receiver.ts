/** A machine's limit: a receiver in C (text-receiver.c), compiled where there is a compiler. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { compile, compilerVersion } from '../load/c-program.ts'
import { VALUE } from '../load/measurements.ts'
import { endWithUs, type Receiver } from './receiver.ts'

export const C_RECEIVER = 'C receiver'

/** Starts it; a text says why that can't be. */
export async function startCReceiver(): Promise<Receiver | string> {
  const program = compile(join(import.meta.dirname, 'text-receiver.c'))
  if (typeof program === 'string') return program
  const child = spawn(program.path, { stdio: ['pipe', 'pipe', 'inherit'] })
  endWithUs(child)
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<number> => Number((await answers.next()).value)
  const port = await next()
  return {
    title: `${C_RECEIVER}, cc ${compilerVersion()}`,
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
    },
  }
}
