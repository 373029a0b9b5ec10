/** Wallaroo's side of a hub: what receives its windows, and the answers of its API. */
import type { Measured, Resident, ResidentContext } from '../../../hub/resident.ts'
import type { SelfMetrics } from '../../../hub/status/self-metrics.ts'
import type { DialectStatus, LimitStatus } from '../../../hub/status/status.ts'
import { ANSWER_BUDGET_NS, type LoopBudgetOptions } from '../../../hub/tasks/loop-budget.ts'
import type { Task } from '../../../hub/tasks/task.ts'
import { TaskQueue } from '../../../hub/tasks/task-queue.ts'
import type { HubView } from '../../../hub/view.ts'
import type { Peer, PeerConnection } from '../../endpoints.ts'
import type {
  ApplicationAnswer,
  ApplicationsAnswer,
  CompatibleAnswer,
  CompatibleApplicationAnswer,
  ConnectionsAnswer,
  ViewAnswer,
} from '../http/api.ts'
import type { WindowReceiver, WindowReceivers } from '../server/connection.ts'
import { NAME } from '../spec.ts'
import { connectionsAnswer } from './connections.ts'
import { wallarooLimits } from './limits.ts'
import { WorkerReceiver } from './receiver.ts'
import { WallarooState, type WallarooStateOptions } from './state.ts'
import { applicationPass } from './views/application.ts'
import { applicationsPass } from './views/applications.ts'
import { compatibleApplicationPass, compatiblePass } from './views/compatible.ts'
import { type Asker, SharedAnswers } from './views/shared-answers.ts'
import { type ViewRequest, viewPass } from './views/view.ts'

/**
 * Views for the API; nothing here changes anything. What goes through all series is made in slices
 * and shared by those who ask for the same. An asker has a place among large answers, which bounds
 * what is made at once; where all who asked for an answer are gone, it is undefined.
 */
export interface WallarooViews {
  applications(asker?: Asker): Promise<ApplicationsAnswer | undefined>
  /** Describes an application; undefined for one that no worker has named. */
  application(name: string, asker?: Asker): Promise<ApplicationAnswer | undefined>
  compatibleApplication(
    name: string,
    asker?: Asker,
  ): Promise<CompatibleApplicationAnswer | undefined>
  /** Makes a view; undefined where no series is in it. */
  view(request: ViewRequest, asker?: Asker): Promise<ViewAnswer | undefined>
  compatible(request: ViewRequest, asker?: Asker): Promise<CompatibleAnswer | undefined>
  workerConnections(application: string | undefined): ConnectionsAnswer
}

interface OwnMetric {
  readonly name: string
  readonly meaning: string
}

/** Metrics of itself, as docs/self-metrics.md lists them. */
const OWN_METRICS = {
  size: {
    name: 'pentameter.wallaroo.windows.size',
    meaning: 'memory of the windows kept for views; from the first one on',
  },
  dropped: {
    name: 'pentameter.wallaroo.windows.dropped',
    meaning: 'windows that left the views early by its bound',
  },
  workersRefused: {
    name: 'pentameter.wallaroo.workers.refused',
    meaning: 'joins and windows of workers beyond a limit',
  },
} as const satisfies Readonly<Record<string, OwnMetric>>

export class WallarooResident implements WallarooViews, WindowReceivers, Resident {
  readonly state: WallarooState
  readonly #receivers = new Set<WorkerReceiver>()
  readonly #connections: () => readonly PeerConnection[]
  readonly #answers: SharedAnswers

  /** @param connections of the server that opens receivers here */
  constructor(
    state: WallarooState,
    connections: () => readonly PeerConnection[],
    options: Partial<LoopBudgetOptions> = {},
  ) {
    this.state = state
    this.#connections = connections
    const queue = new TaskQueue(state.clock, { budgetNs: ANSWER_BUDGET_NS, ...options })
    this.#answers = new SharedAnswers(state.clock, queue)
  }

  open(peer: Peer): WindowReceiver {
    const receiver = new WorkerReceiver(this.state, peer, (closed) => {
      this.#receivers.delete(closed)
    })
    this.#receivers.add(receiver)
    return receiver
  }

  /** Lists its limits for the hub. */
  limits(): LimitStatus[] {
    return wallarooLimits(this.state, this.#receivers)
  }

  /** Reports what the hub counts of itself here; nothing before the first window. */
  observe(metrics: SelfMetrics): void {
    const { memory, workers, workersNotHeld, measurements } = this.state
    if (measurements === 0) return
    const { size, ...counts } = OWN_METRICS
    metrics.gauge(size.name, memory.bytes, {}, 'bytes', size.meaning)
    const raise = ({ name, meaning }: OwnMetric, total: number): void =>
      metrics.counter(name, {}, meaning).raiseTo(total)
    raise(counts.dropped, memory.dropped)
    raise(counts.workersRefused, workers.refused + workersNotHeld)
  }

  /** Describes the meter: messages, where windows say nothing of how much there is to do. */
  describe(): Partial<DialectStatus> {
    const { recent } = this.state.rates
    return { ratePerSecond: recent.at(-1) ?? 0, recent }
  }

  get measured(): Measured {
    return this.state
  }

  /** Forgets what is past its time. */
  // biome-ignore lint/correctness/useYield: it has nothing to pause for
  *beforeClose(): Task {
    this.state.sweep()
    this.#answers.sweep()
  }

  flush(): Task {
    return this.state.flush()
  }

  applications(asker?: Asker): Promise<ApplicationsAnswer | undefined> {
    const make = () => applicationsPass(this.state)
    return this.#answers.ask('applications', make, ({ applications }) => applications.length, asker)
  }

  application(name: string, asker?: Asker): Promise<ApplicationAnswer | undefined> {
    const make = () => applicationPass(this.state, name)
    return this.#answers.ask(JSON.stringify(['application', name]), make, applicationRows, asker)
  }

  compatibleApplication(
    name: string,
    asker?: Asker,
  ): Promise<CompatibleApplicationAnswer | undefined> {
    const make = () => compatibleApplicationPass(this.state, name)
    return this.#answers.ask(JSON.stringify(['compatible', name]), make, applicationRows, asker)
  }

  view(request: ViewRequest, asker?: Asker): Promise<ViewAnswer | undefined> {
    const make = () => viewPass(this.state, request)
    return this.#answers.ask(keyOf('view', request), make, viewRows, asker)
  }

  compatible(request: ViewRequest, asker?: Asker): Promise<CompatibleAnswer | undefined> {
    const make = () => compatiblePass(this.state, request)
    return this.#answers.ask(keyOf('compatible', request), make, viewRows, asker)
  }

  workerConnections(application: string | undefined): ConnectionsAnswer {
    return connectionsAnswer(this.state, this.#receivers, this.#connections(), application)
  }
}

/** Makes the resident of a hub. */
export function createResident(context: ResidentContext): WallarooResident {
  const { clock, store, reports } = context
  const options = context.options as unknown as WallarooStateOptions
  const refused = reports.refused.bind(reports, NAME)
  const ingest = context.createIngest()
  const state = new WallarooState({ options, clock, ingest, quota: store.quota, refused })
  return new WallarooResident(state, context.connections)
}

/** Finds the resident of a hub; undefined where its registry has no Wallaroo. */
export function wallarooOf(hub: Pick<HubView, 'resident'>): WallarooResident | undefined {
  return hub.resident(NAME) as WallarooResident | undefined
}

/** Makes a key that is the same for the same request, in whatever order its labels stand. */
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
