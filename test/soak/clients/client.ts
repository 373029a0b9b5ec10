/** Shape of all clients of a soak, and what they share. */
import { setTimeout } from 'node:timers/promises'
import type { Random } from '../../fuzz/engine/random.ts'
import type { Target } from '../target.ts'
import type { Gate } from './gate.ts'
import type { Ledger } from './ledger.ts'

export interface Surroundings {
  readonly target: Target
  readonly ledger: Ledger
  readonly gate: Gate
  /** Row of chance of its own. */
  readonly random: Random
}

/** Goes on until the signal; resolves when all it has opened is closed. */
export type Client = (surroundings: Surroundings, signal: AbortSignal) => Promise<void>

/** Waits, and no longer than to the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {})
}

/** Makes a Stats Hero packet of lines. */
export function packetOf(lines: readonly string[]): string {
  const body = lines.map((line) => `${line}\n`).join('')
  return `1|${Buffer.byteLength(body)}\n${body}`
}
