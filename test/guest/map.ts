/** What Semaphore's lines mean in the model, and back: the border of the two vocabularies; pure. */
import type { Describe, Description, LineIngest } from '../../src/dialects/ingest.ts'
import { type Cell, type Identity, keyedHash } from '../../src/model/index.ts'
import type { Line, Message } from './codec.ts'
import { COUNTER, NAME } from './spec.ts'

const text = new TextDecoder('latin1')

/** Writes one line into the ingest: `c` counts, `g` is the value of a gauge. */
export function takeLine(
  ingest: LineIngest,
  ...[bytes, nameStart, nameEnd, type, value]: Line
): void {
  const hash = keyedHash(bytes, nameStart, nameEnd)
  const slot = ingest.slot(bytes, nameStart, nameEnd, type, hash, describe)
  if (type === COUNTER) ingest.count(slot, value, 1)
  else ingest.set(slot, value)
}

const describe: Describe = (key, type): Description => {
  const kind = type === COUNTER ? 'counter' : 'gauge'
  return { identity: { kind, name: text.decode(key), labels: [] }, metadata: { dialect: NAME } }
}

/** Makes the line of a closed cell; undefined for kinds and values that the dialect can't say. */
export function messageOf(identity: Identity, cell: Cell, prefix: string): Message | undefined {
  const name = (prefix + identity.name).replace(/[^\x21-\x7e]/g, '_')
  if (cell.kind === 'counter') return { kind: 'c', name, value: Number(cell.delta) }
  if (cell.kind === 'gauge') return { kind: 'g', name, value: Number(cell.value) }
  return undefined
}
