/**
 * Offers a stream by a sender in C (stream-sender.c), which no receiver waits for: one of Node's
 * takes longer for its bytes than a bare receiver. Without a compiler, Node's sender serves.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CProgram, compile, runToEnd } from './c-program.ts'
import { cutIntoWrites, sendTcp } from './tcp-sender.ts'

const SOURCE = fileURLToPath(new URL('stream-sender.c', import.meta.url))

/** Sender of one stream, any number of times, each over connections of its own. */
export interface StreamSender {
  /** Language that it is written in. */
  readonly kind: 'C' | 'Node'
  /** Sends it so many times on each connection; resolves when the receiver has read the end. */
  send(port: number, times: number, connections?: number): Promise<void>
}

const NO_GREETING = Buffer.alloc(0)
let program: CProgram | string | undefined
let files = 0

/** @param greeting what comes first, once on each connection */
export function openSender(stream: Buffer, greeting: Buffer = NO_GREETING): StreamSender {
  program ??= compile(SOURCE)
  if (typeof program === 'string') return nodeSender(stream, greeting)
  const compiled = program
  const [greetingFile, streamFile] = [greeting, stream].map((bytes) => {
    const file = join(compiled.folder, `bytes-${files++}`)
    writeFileSync(file, bytes)
    return file
  })
  return {
    kind: 'C',
    async send(port, times, connections = 1) {
      await runToEnd(compiled, [
        `${port}`,
        greetingFile!,
        streamFile!,
        `${times}`,
        `${connections}`,
      ])
    },
  }
}

function nodeSender(stream: Buffer, greeting: Buffer): StreamSender {
  const writes = cutIntoWrites(stream)
  return {
    kind: 'Node',
    async send(port, times, connections = 1) {
      const sendings = Array.from({ length: connections }, () => {
        return sendTcp(port, writes, times, greeting)
      })
      await Promise.all(sendings)
    },
  }
}
