/** The pipelines of a hub: what receives them, and the answers of its API. */

import type { SelfMetrics } from '../../../hub/status/self-metrics.ts'
import type { LimitStatus } from '../../../hub/status/status.ts'
import type { TurnOptions } from '../../../hub/turns/turn.ts'
import type { Peer, PeerConnection } from '../../peer.ts'
import type { WindowReceiver } from '../server/connection.ts'
import type {
  ApplicationAnswer,
  ApplicationsAnswer,
  CompatibleAnswer,
  CompatibleApplicationAnswer,
  ConnectionsAnswer,
  ViewAnswer,
} from './answers.ts'
import { connectionsAnswer } from './connections.ts'
import { pipelineLimits } from './limits.ts'
import { Pipelines } from './pipelines.ts'
import { PipelineReceiver } from './receiver.ts'
import { applicationPass } from './views/application.ts'
import { applicationsPass } from './views/applications.ts'
import { compatibleApplicationPass, compatiblePass } from './views/compatible.ts'
import { Passes } from './views/passes.ts'
import { SharedAnswers } from './views/shared-answers.ts'
import { type ViewRequest, viewPass } from './views/view.ts'

export { BusyError } from './views/shared-answers.ts'
export type { ViewRequest } from './views/view.ts'
export { Pipelines }

/**
 * What the API asks; nothing here changes anything. What goes through all series is made in slices
 * and shared by those who ask for the same; it rejects with a {@link BusyError} where too much is
 * asked at once.
 */
export interface PipelinesView {
  applications(): Promise<ApplicationsAnswer>
  /** Undefined for an application that nobody has named. */
  application(name: string): Promise<ApplicationAnswer | undefined>
  compatibleApplication(name: string): Promise<CompatibleApplicationAnswer | undefined>
  /** Undefined where no series is in the view. */
  view(request: ViewRequest): Promise<ViewAnswer | undefined>
  compatible(request: ViewRequest): Promise<CompatibleAnswer | undefined>
  connections(application: string | undefined): ConnectionsAnswer
}

export class HubPipelines implements PipelinesView {
  readonly pipelines: Pipelines
  readonly #receivers = new Set<PipelineReceiver>()
  readonly #connections: () => readonly PeerConnection[]
  readonly #answers: SharedAnswers

  /** @param connections of the server that opens receivers here */
  constructor(
    pipelines: Pipelines,
    connections: () => readonly PeerConnection[],
    options: Partial<TurnOptions> = {},
  ) {
    this.pipelines = pipelines
    this.#connections = connections
    this.#answers = new SharedAnswers(pipelines.clock, new Passes(pipelines.clock, options))
  }

  open(peer: Peer): WindowReceiver {
    const receiver = new PipelineReceiver(this.pipelines, peer, (closed) => {
      this.#receivers.delete(closed)
    })
    this.#receivers.add(receiver)
    return receiver
  }

  /** As the hub tells of its limits. */
  limits(): LimitStatus[] {
    return pipelineLimits(this.pipelines, this.#receivers, this.#answers)
  }

  /** What the hub counts of itself here; nothing before the first window. */
  observe(metrics: SelfMetrics): void {
    const { memory, workers, workersNotHeld, measurements } = this.pipelines
    if (measurements === 0) return
    metrics.gauge('pentameter.wallaroo.windows.size', memory.bytes, {}, 'bytes')
    metrics.counter('pentameter.wallaroo.windows.dropped').raiseTo(memory.dropped)
    metrics.counter('pentameter.wallaroo.workers.refused').raiseTo(workers.refused + workersNotHeld)
    metrics.counter('pentameter.wallaroo.views.refused').raiseTo(this.#answers.refused)
  }

  /** Forgets what is past its time; once a second. */
  sweep(): void {
    this.pipelines.sweep()
    this.#answers.sweep()
  }

  applications(): Promise<ApplicationsAnswer> {
    const make = () => applicationsPass(this.pipelines)
    return this.#answers.ask('applications', make, ({ applications }) => applications.length)
  }

  application(name: string): Promise<ApplicationAnswer | undefined> {
    const make = () => applicationPass(this.pipelines, name)
    return this.#answers.ask(JSON.stringify(['application', name]), make, applicationRows)
  }

  compatibleApplication(name: string): Promise<CompatibleApplicationAnswer | undefined> {
    const make = () => compatibleApplicationPass(this.pipelines, name)
    return this.#answers.ask(JSON.stringify(['compatible', name]), make, applicationRows)
  }

  view(request: ViewRequest): Promise<ViewAnswer | undefined> {
    const make = () => viewPass(this.pipelines, request)
    return this.#answers.ask(keyOf('view', request), make, viewRows)
  }

  compatible(request: ViewRequest): Promise<CompatibleAnswer | undefined> {
    const make = () => compatiblePass(this.pipelines, request)
    return this.#answers.ask(keyOf('compatible', request), make, viewRows)
  }

  connections(application: string | undefined): ConnectionsAnswer {
    return connectionsAnswer(this.pipelines, this.#receivers, this.#connections(), application)
  }
}

/** The same for the same request, in whatever order its labels stand. */
function keyOf(mode: string, { application, key, seconds, toMs }: ViewRequest): string {
  const { category, pipeline, worker, name } = key
  const labels = [pipeline, worker, name].map((label) => label ?? null)
  return JSON.stringify([mode, application, category, ...labels, seconds, toMs ?? null])
}

type Rows = readonly unknown[]

function applicationRows(
  answer:
    | Readonly<
        Record<'pipelines' | 'workers' | 'computations' | 'others', Rows> & {
          readonly computationsByWorker?: Rows
        }
      >
    | undefined,
): number {
  if (answer === undefined) return 0
  const { pipelines, workers, computations, computationsByWorker = [], others } = answer
  const tables = [pipelines, workers, computations, computationsByWorker, others]
  return tables.reduce((sum, rows) => sum + rows.length, 0)
}

function viewRows(answer: { readonly tables: readonly { readonly rows: Rows }[] } | undefined) {
  return answer?.tables.reduce((sum, { rows }) => sum + rows.length, 0) ?? 0
}
