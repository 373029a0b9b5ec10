/** Streams of a running .NET, by name, out of the vectors. */
import { readFileSync } from 'node:fs'

const file = new URL('../vectors/nettrace-recordings.json', import.meta.url)
const { recording } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly recording: readonly { readonly name: string; readonly base64: string }[]
}

export const RECORDINGS: ReadonlyMap<string, Uint8Array> = new Map(
  recording.map(({ name, base64 }) => [name, Buffer.from(base64, 'base64')]),
)
