/**
 * Places in an application: what is measured there, in which words, and which place is above it.
 * An application has pipelines and workers; computations lie where the two cross.
 */
import { NO_PLACE, type Place } from './address.ts'

const COMPUTATION = 'computation'
const START_TO_END = 'start-to-end'
export const ON_WORKER = 'node-ingress-egress'
export const INGESTION = 'pipeline-ingestion'

/** Tells the category of a place, where none is named: the levels tell it. */
export function categoryOf({ category, pipeline, worker, name }: Place): string {
  if (category !== '') return category
  if (name !== null) return COMPUTATION
  return pipeline === null && worker !== null ? ON_WORKER : START_TO_END
}

/** Tells whether it is a list or an overview, and not one thing that is measured. */
export function isOverview({ pipeline, worker, name, category }: Place): boolean {
  return pipeline === null && worker === null && name === null && category === ''
}

/** Says why no window is chosen for an overview, whose numbers are of one alone. */
export function whyFixedWindow(place: Place): string | undefined {
  if (!isOverview(place)) return undefined
  return 'No window is chosen here: an application’s numbers are of its last 5 minutes'
}

/** Gives the same place on all workers: its category is kept, which fewer levels would not tell. */
export function siblingsOf(place: Place): Place {
  const around = { ...place, worker: null, category: '' }
  const category = categoryOf(place)
  return categoryOf(around) === category ? around : { ...around, category }
}

/** Makes a text that is equal for equal places. */
export function placeText({ application, pipeline, worker, name, category }: Place): string {
  return JSON.stringify([application, pipeline, worker, name, category])
}

export function upFrom(place: Place): Place | undefined {
  const { application, pipeline, worker, name } = place
  if (application === null) return undefined
  if (name !== null) return { ...place, name: null, category: '' }
  if (worker !== null) return { ...place, worker: null, category: '' }
  if (pipeline !== null) return { ...place, pipeline: null, category: '' }
  return place.category === '' ? NO_PLACE : { ...place, category: '' }
}

interface Crumb {
  readonly words: string
  /** Place it leads to; undefined for the last one, which is the place itself. */
  readonly place: Place | undefined
}

/** Lists Wallaroo › application › pipeline › worker › computation; `all` for a level skipped. */
export function crumbsOf(place: Place): readonly Crumb[] {
  const levels = [place.application, place.pipeline, place.worker, place.name]
  const last = levels.findLastIndex((level) => level !== null)
  const upTo = (i: number): Place => {
    const [application = null, pipeline = null, worker = null, name = null] = levels.slice(0, i + 1)
    return { application, pipeline, worker, name, category: '' }
  }
  const crumbs = levels.slice(0, last + 1).map((level, i) => ({
    words: level ?? 'all',
    place: i === last ? undefined : upTo(i),
  }))
  return [{ words: 'Wallaroo', place: last < 0 ? undefined : NO_PLACE }, ...crumbs]
}

const MEASURED: Readonly<Record<string, string>> = {
  [COMPUTATION]: 'Time inside of the computation',
  [START_TO_END]: 'From ingestion to completion on any worker',
  [ON_WORKER]: 'From arrival on the worker to completion or hand-over',
  [INGESTION]: 'Messages taken in; no latency',
}

/** Says what the latencies of a category are. */
export function measuredWords(category: string): string {
  return MEASURED[category] ?? `Category ${category}`
}

/** Writes `Computation on worker2, pipeline Orders`. */
export function whatWords(place: Place): string {
  const { pipeline, worker, name } = place
  if (name !== null) {
    const what = place.category === '' ? 'Computation' : `Series of ${categoryOf(place)}`
    const where = worker === null ? '' : ` on ${worker}`
    return `${what}${where}${pipeline === null ? ', all pipelines' : `, pipeline ${pipeline}`}`
  }
  if (worker !== null) {
    return pipeline === null ? 'Worker' : `Worker ${worker}, pipeline ${pipeline}`
  }
  return pipeline === null ? 'Application' : 'Pipeline'
}
