/** A source in a registry that is given; EventSource is one that can do without (see there). */
import { checkName } from './counters/attributes.ts'
import type { CounterRegistry } from './registry.ts'
import type { SourceMembership } from './sessions/source-entry.ts'

export interface NamedSourceOptions {
  readonly registry: CounterRegistry
  /**
   * Called when the first session that wants this source opens, before its windows begin; for a
   * source made while sessions are open, in the next microtask. An error is counted and logged.
   */
  readonly onEnable?: ((source: NamedSource) => void) | undefined
  /** Called when the last such session has left, and on dispose while enabled. */
  readonly onDisable?: ((source: NamedSource) => void) | undefined
}

export class NamedSource {
  readonly name: string
  readonly registry: CounterRegistry
  readonly #membership: SourceMembership

  constructor(name: string, { registry, onEnable, onDisable }: NamedSourceOptions) {
    checkName('source name', name)
    this.name = name
    this.registry = registry
    this.#membership = registry.addSource(this, {
      onEnable: () => onEnable?.(this),
      onDisable: () => onDisable?.(this),
    })
  }

  /** False once disposed of, and from the start where the limit of sources was reached. */
  get isLive(): boolean {
    return this.#membership.isLive
  }

  /** Whether a session wants this source at this moment. */
  get isEnabled(): boolean {
    return this.#membership.isEnabled
  }

  /** Takes the source and its counters out of all sessions, without a last payload. Idempotent. */
  dispose(): void {
    this.#membership.remove()
  }
}
