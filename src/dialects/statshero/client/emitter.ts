/** The sending side as the hub uses it (§7.5): closed cells become lines of a client. */
import type { Cell, Exact, Identity } from '../../../model/index.ts'
import type { Task } from '../../../time/task.ts'
import type { ChosenPeer, ClientContext, Emitter, Reports, Target } from '../../endpoints.ts'
import { StatsHeroClient } from '../client.ts'
import { cellLines, type EmitMapping, emitKey } from '../map.ts'
import { EMIT_DEFAULTS, type EmitOptions } from '../options.ts'
import { RelayLink } from './relay-link.ts'

/** A second of a large hub is far more than what one application says in between. */
const QUEUE_LINES_LIMIT = 200_000

interface EmitterOptions extends EmitOptions, EmitMapping {}

export function connectEmitter(target: Target, context: ClientContext): Emitter {
  return new StatsHeroEmitter(target, context)
}

class StatsHeroEmitter implements Emitter {
  readonly #client: StatsHeroClient
  readonly #mapping: EmitMapping
  readonly #reports: Reports
  readonly #keys = new WeakMap<Identity, string>()
  readonly #readings: EmitMapping
  readonly #primed = new WeakSet<Identity>()
  readonly #link: RelayLink
  readonly #output: Parameters<typeof cellLines>[4]
  /** Lines already reported. */
  #dropped = 0
  #lost = 0

  constructor(target: Target, { reports, clock, options }: ClientContext) {
    const { transport, host, port } = target
    const emit = { ...EMIT_DEFAULTS, ...(options.emit as Partial<EmitterOptions> | undefined) }
    this.#mapping = { counterAs: 'm', histogramAs: 'rate', ...emit }
    this.#readings = { ...this.#mapping, counterAs: 'mr' }
    this.#reports = reports
    const link = new RelayLink(target, clock, reports)
    this.#link = link
    this.#client = new StatsHeroClient({
      ...emit,
      transport,
      host,
      port,
      clock,
      queueLinesLimit: QUEUE_LINES_LIMIT,
      onConnect: link.onConnect,
      onError: link.onError,
    })
    void this.#client.start()
    this.#output = {
      line: (line) => this.#client.send(line),
      note: (code, amount) => reports.count('emit', code, amount),
    }
  }

  send(identity: Identity, cell: Cell, total: Exact | undefined): void {
    try {
      cellLines(this.#keyOf(identity), cell, total, this.#mappingOf(identity), this.#output)
    } catch (error) {
      this.#reports.count('emit', (error as { code?: string }).code ?? 'failed')
    }
  }

  /**
   * Makes the mapping of a series. What came as a meter reader leaves as one, so that a meter of
   * the same key stays another series; a first reading of 0 makes the receiver count from where we
   * did.
   */
  #mappingOf(identity: Identity): EmitMapping {
    if (identity.qualifier?.[1] !== 'mr') return this.#mapping
    if (!this.#primed.has(identity)) {
      this.#primed.add(identity)
      this.#client.send({ key: this.#keyOf(identity), value: 0, type: 'mr' })
    }
    return this.#readings
  }

  #keyOf(identity: Identity): string {
    let key = this.#keys.get(identity)
    if (key === undefined) {
      key = emitKey(identity, this.#mapping.profile)
      this.#keys.set(identity, key)
    }
    return key
  }

  status(): ChosenPeer {
    const { sent, dropped, lost } = this.#client.counts
    return this.#link.status({ sent, dropped: dropped + lost })
  }

  // biome-ignore lint/correctness/useYield: it has nothing to pause for
  *flush(): Task {
    this.#link.look()
    this.#client.flush()
    this.#report()
  }

  #report(): void {
    const { dropped, lost } = this.#client.counts
    if (dropped > this.#dropped) this.#reports.count('emit', 'queue_full', dropped - this.#dropped)
    if (lost > this.#lost) this.#reports.count('emit', 'link_failed', lost - this.#lost)
    this.#dropped = dropped
    this.#lost = lost
  }

  /** Ends the emitter; what could not be sent in a second is lost, and reported. */
  async close(): Promise<void> {
    await this.#client.close()
    const { dropped, lost } = this.#client.counts
    const lines = dropped - this.#dropped + lost - this.#lost
    if (lines > 0) this.#reports.log('warn', 'relay ended before all was sent', { lines })
    this.#report()
  }
}
