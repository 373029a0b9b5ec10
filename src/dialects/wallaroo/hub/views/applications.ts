/** The applications that have been named, and what there is of each. */

import { forEachItem, sorted, type Task } from '../../../../hub/tasks/task.ts'
import type { ApplicationSummary, ApplicationsAnswer } from '../../http/api.ts'
import type { WallarooState } from '../state.ts'
import type { WallarooSeries } from '../wire-series.ts'
import { compareTexts } from './groups.ts'

class Summary {
  readonly pipelines = new Set<string>()
  /** Names by pipeline. */
  readonly computations = new Map<string, Set<string>>()
  computationCount = 0
  workers = 0
  workersConnected = 0
  lastEndMs = Number.NEGATIVE_INFINITY

  add({ names, lastEndMs, worker }: WallarooSeries): void {
    this.lastEndMs = Math.max(this.lastEndMs, lastEndMs + worker.offset.shiftMs)
    const { category, pipeline, name } = names
    if (category === 'start-to-end') this.pipelines.add(pipeline)
    if (category !== 'computation') return
    let known = this.computations.get(pipeline)
    if (known === undefined) {
      known = new Set()
      this.computations.set(pipeline, known)
    }
    if (!known.has(name)) this.computationCount++
    known.add(name)
  }
}

export function* applicationsPass(state: WallarooState): Task<ApplicationsAnswer> {
  const summaries = new Map<string, Summary>()
  const of = (application: string): Summary => {
    let summary = summaries.get(application)
    if (summary === undefined) {
      summary = new Summary()
      summaries.set(application, summary)
    }
    return summary
  }
  const nowMs = state.clock.wallMs()
  yield* forEachItem(state.workers, (each) => {
    const { application, worker } = each
    const summary = of(application)
    if (worker === undefined) return
    summary.workers++
    if (each.connectionAt(nowMs) === true) summary.workersConnected++
  })
  yield* forEachItem(state.series(), (series) => of(series.names.application).add(series))
  const applications: ApplicationSummary[] = []
  yield* forEachItem(summaries, ([application, summary]) => {
    applications.push(summaryJson(application, summary))
  })
  const byName = (a: ApplicationSummary, b: ApplicationSummary): number => {
    return compareTexts(a.application, b.application)
  }
  return { nowMs, applications: yield* sorted(applications, byName) }
}

function summaryJson(application: string, summary: Summary): ApplicationSummary {
  const { pipelines, workers, workersConnected, computationCount, lastEndMs } = summary
  return {
    application,
    pipelines: pipelines.size,
    workers,
    workersConnected,
    computations: computationCount,
    lastWindowMs: lastEndMs === Number.NEGATIVE_INFINITY ? null : lastEndMs,
  }
}
