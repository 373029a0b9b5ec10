/** Rivals in one question: those that this machine has, and why it has not the others. */
import type { Skipped } from '../measure/question.ts'
import type { Receiver } from './receiver.ts'

export interface Rivals {
  /** By the title that they were asked for. */
  readonly here: ReadonlyMap<string, Receiver>
  readonly skipped: readonly Skipped[]
}

/** @param starts by title; each starts one, or says why that can't be */
export async function startRivals(
  starts: Readonly<Record<string, () => Promise<Receiver | string>>>,
): Promise<Rivals> {
  const here = new Map<string, Receiver>()
  const skipped: Skipped[] = []
  for (const [title, start] of Object.entries(starts)) {
    const rival = await start()
    if (typeof rival === 'string') skipped.push({ title, reason: rival })
    else here.set(title, rival)
  }
  return { here, skipped }
}
