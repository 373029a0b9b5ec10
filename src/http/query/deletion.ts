/**
 * `DELETE /api/v1/series`: takes series away, by their numbers or by a pattern of their names. What
 * is sent under such a name afterwards makes a new series.
 */
import { setImmediate } from 'node:timers/promises'
import { isLoopback } from '../../host-check.ts'
import { OWN_SOURCE } from '../../hub/ingest/definition.ts'
import { isDecrements, type SeriesRecord } from '../../hub/series/record.ts'
import type { HubView } from '../../hub/view.ts'
import { compileGlob } from '../../model/glob.ts'
import type { DeletionAnswer } from '../api.ts'
import type { HubContext } from '../guest-routes.ts'
import { HttpError } from '../http-error.ts'

interface Deletion {
  readonly series?: readonly number[] | undefined
  /** Pattern in which `*` stands for any run of characters. */
  readonly name?: string | undefined
  readonly dryRun: boolean
}

/** Series looked at, and series taken away, between two turns of the event loop. */
const LOOKS_PER_TURN = 5000
const DELETIONS_PER_TURN = 250

/** @throws {HttpError} 403 for a caller on another machine: there is no login yet */
export function requireLoopback(context: HubContext): void {
  const address = context.env.incoming.socket.remoteAddress ?? ''
  if (isLoopback(address.replace(/^::ffff:/, ''))) return
  const message = `request from ${address}, want one from this machine`
  throw new HttpError(403, 'loopback_only', message, 'series are deleted on the machine of the hub')
}

/** Deletes what is asked for, in turns of the event loop, and says how many there were. */
export async function deleteSeries(view: HubView, deletion: Deletion): Promise<DeletionAnswer> {
  const { series, name, dryRun } = deletion
  if ((series === undefined) === (name === undefined)) {
    const hint = 'as ?series=1,2 or ?name=request.*'
    throw new HttpError(400, 'invalid_request', 'want either series or name', hint)
  }
  const matching = name === undefined ? named(view, series!) : await matchingName(view, name)
  const deletable = matching.filter(({ source, isKept }) => source !== OWN_SOURCE && !isKept)
  let deleted = 0
  for (const record of dryRun ? [] : deletable) {
    if (view.series.retire(record)) deleted++
    if (deleted % DELETIONS_PER_TURN === 0) await setImmediate()
  }
  const kept = matching.length - deletable.length
  return { matching: matching.length, deleted, kept, isDryRun: dryRun }
}

function named({ series }: HubView, ids: readonly number[]): SeriesRecord[] {
  return ids.flatMap((id) => {
    const record = series.get(id)
    return record === undefined || isDecrements(record) ? [] : [record]
  })
}

async function matchingName({ series }: HubView, pattern: string): Promise<SeriesRecord[]> {
  const isMatch = compileGlob(pattern)
  const matching: SeriesRecord[] = []
  let looks = 0
  for (const record of series) {
    if (++looks % LOOKS_PER_TURN === 0) await setImmediate()
    if (!isDecrements(record) && isMatch(record.identity.name)) matching.push(record)
  }
  return matching
}
