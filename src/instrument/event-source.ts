/**
 * A named group of counters that sessions are opened on (eventcounters.md §3.3). What costs
 * something to measure can wait for somebody to listen: onEnable, onDisable.
 */
import { NamedSource, type NamedSourceOptions } from './named-source.ts'
import { type CounterRegistry, defaultRegistry } from './registry.ts'

export interface EventSourceOptions extends Omit<NamedSourceOptions, 'registry'> {
  /** The thread's default one when not given. */
  readonly registry?: CounterRegistry | undefined
}

export class EventSource extends NamedSource {
  /**
   * @param name 1 to 512 UTF-16 units without U+0000; sessions match it without regard to case
   * @throws {TypeError | RangeError} for any other name
   */
  constructor(name: string, options: EventSourceOptions = {}) {
    super(name, { ...options, registry: options.registry ?? defaultRegistry() })
  }
}
