/** The lines of very many series of one kind, each once: what a hub is sent every second. */
import { connect, type Socket } from 'node:net'
import { cutIntoWrites } from '../load/tcp-sender.ts'

export const KINDS = { counter: 'm', gauge: 'g', histogram: 'h' } as const

export type GrowingKind = keyof typeof KINDS

const LINES_PER_FRAME = 1000

/** Makes the frames of so many series, names of 28 bytes, cut into writes. */
export function linesOf(kind: GrowingKind, series: number, value: number): Buffer[] {
  const frames: string[] = []
  for (let at = 0; at < series; at += LINES_PER_FRAME) {
    const count = Math.min(LINES_PER_FRAME, series - at)
    const lines = Array.from({ length: count }, (_, i) => lineOf(kind, at + i, value)).join('')
    frames.push(`1|${lines.length}\n${lines}`)
  }
  return cutIntoWrites(Buffer.from(frames.join('')))
}

function lineOf(kind: GrowingKind, index: number, value: number): string {
  return `app.m${String(index).padStart(7, '0')}.request.count:${value}|${KINDS[kind]}\n`
}

/** One connection that offers whole rounds. */
export class Sender {
  readonly #socket: Socket

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.resume()
  }

  /** Resolves when the kernel has taken all of it. */
  async send(writes: readonly Buffer[]): Promise<void> {
    for (const write of writes) {
      await new Promise<void>((resolve, reject) => {
        this.#socket.write(write, (error) => (error ? reject(error) : resolve()))
      })
    }
  }

  end(): void {
    this.#socket.end()
  }
}
