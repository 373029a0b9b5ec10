/**
 * Offers a stream by a sender in C (stream-sender.c), which no receiver waits for: one of Node's
 * takes longer for its bytes than a bare receiver. Without a compiler, Node's sender serves.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cutIntoWrites, sendTcp } from './tcp-sender.ts'

const SOURCE = fileURLToPath(new URL('stream-sender.c', import.meta.url))

/** Sender of one stream, any number of times, each over a connection of its own. */
export interface StreamSender {
  /** Language that it is written in. */
  readonly kind: 'C' | 'Node'
  /** Sends the stream so many times; resolves when the receiver has read the end. */
  send(port: number, times: number): Promise<void>
  close(): void
}

/** @param greeting what comes first, once on each connection */
export async function openSender(greeting: Buffer, stream: Buffer): Promise<StreamSender> {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-sender-'))
  const close = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', close)
  const file = (name: string): string => join(folder, name)
  const program = file('stream-sender')
  if (!(await succeeds('cc', ['-O2', '-o', program, SOURCE]))) {
    const writes = cutIntoWrites(stream)
    return { kind: 'Node', send: (port, times) => sendTcp(port, writes, times, greeting), close }
  }
  writeFileSync(file('greeting'), greeting)
  writeFileSync(file('stream'), stream)
  return {
    kind: 'C',
    close,
    async send(port, times) {
      const args = [`${port}`, file('greeting'), file('stream'), `${times}`]
      if (!(await succeeds(program, args))) throw new Error('the sender has failed')
    },
  }
}

/** Runs a program; false where it cannot be started, or fails. */
async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  try {
    const [code] = await once(child, 'exit')
    return code === 0
  } catch {
    return false
  }
}
