/**
 * `DELETE /api/v1/series`: takes series away, by their numbers or by a pattern of their names. What
 * is sent under such a name afterwards makes a new series.
 */
import { isLoopback } from '../../host-check.ts'
import { OWN_SOURCE } from '../../hub/ingest/definition.ts'
import { isDecrements, type SeriesRecord } from '../../hub/series/record.ts'
import type { RoundRobin } from '../../hub/tasks/round-robin.ts'
import { forEachItem, type Task } from '../../hub/tasks/task.ts'
import type { HubView } from '../../hub/view.ts'
import { compileGlob } from '../../model/text/glob.ts'
import type { DeletionAnswer } from '../api.ts'
import type { HubContext } from '../guest-routes.ts'
import { HttpError } from '../http-error.ts'
import { looksPerStep } from './series.ts'

interface Deletion {
  readonly series?: readonly number[] | undefined
  /** Pattern in which `*` stands for any run of characters. */
  readonly name?: string | undefined
  readonly dryRun: boolean
}

/** Deletions at once; a further one is refused. */
const DELETIONS_LIMIT = 8
/** Series taken away between two looks at the clock. */
const DELETIONS_PER_STEP = 8

/**
 * @param hint says what is done on the hub's machine only
 * @throws {HttpError} 403 for a caller on another machine: there is no login yet
 */
export function requireLoopback(
  context: HubContext,
  hint = 'series are deleted on the machine of the hub',
): void {
  const address = context.env.incoming.socket.remoteAddress ?? ''
  if (isLoopback(address.replace(/^::ffff:/, ''))) return
  const message = `request from ${address}, want one from this machine`
  throw new HttpError(403, 'loopback_only', message, hint)
}

/** Deletions under way: few at once, and in turns with all answers. */
export class Deletions {
  readonly #view: HubView
  readonly #turns: RoundRobin
  #running = 0

  constructor(view: HubView, turns: RoundRobin) {
    this.#view = view
    this.#turns = turns
  }

  /**
   * Deletes what is asked for, and says how many there were. They are no large answers, which are
   * refused just when names have to go.
   * @throws {HttpError} 503 where many others are under way
   */
  async run(deletion: Deletion): Promise<DeletionAnswer> {
    if ((deletion.series === undefined) === (deletion.name === undefined)) {
      const hint = 'as ?series=1,2 or ?name=request.*'
      throw new HttpError(400, 'invalid_request', 'want either series or name', hint)
    }
    if (this.#running >= DELETIONS_LIMIT) {
      const message = `${this.#running} deletions are under way`
      throw new HttpError(503, 'busy', message, 'ask again in 2 s', { 'Retry-After': '2' })
    }
    this.#running++
    try {
      return (await this.#turns.run(deleting(this.#view, deletion), () => true))!
    } finally {
      this.#running--
    }
  }
}

function* deleting(view: HubView, { series, name, dryRun }: Deletion): Task<DeletionAnswer> {
  const matching = name === undefined ? named(view, series!) : yield* matchingName(view, name)
  const deletable = matching.filter(({ source, isKept }) => source !== OWN_SOURCE && !isKept)
  let deleted = 0
  const remove = (record: SeriesRecord): void => {
    if (view.series.retire(record)) deleted++
  }
  if (!dryRun) yield* forEachItem(deletable, remove, DELETIONS_PER_STEP)
  const kept = matching.length - deletable.length
  return { matching: matching.length, deleted, kept, isDryRun: dryRun }
}

function named({ series }: HubView, ids: readonly number[]): SeriesRecord[] {
  return ids.flatMap((id) => {
    const record = series.get(id)
    return record === undefined || isDecrements(record) ? [] : [record]
  })
}

function* matchingName({ series }: HubView, pattern: string): Task<SeriesRecord[]> {
  const isMatch = compileGlob(pattern)
  const matching: SeriesRecord[] = []
  const look = (record: SeriesRecord): void => {
    if (!isDecrements(record) && isMatch(record.identity.name)) matching.push(record)
  }
  yield* forEachItem(series, look, looksPerStep(pattern.length))
  return matching
}
