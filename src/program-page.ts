/**
 * The live page of one program, served by itself: a hub in the same process that takes nothing but
 * HTTP, to which the program pushes like any other. It is loaded when it is asked for.
 */
import { HTTP_PORT } from './dialects/options.ts'
import { metrics } from './instrument/front/default.ts'
import type { Metrics } from './instrument/front/metrics.ts'
import { addressText } from './model/text/address.ts'

export interface PageOptions {
  /** Port of the page; 4000 when absent, 0 = any free one. */
  readonly port?: number
  /** Address that it listens at; loopback when absent: it asks no reader for a password. */
  readonly host?: string
  /** Names under which it is reached besides loopback and `host`. */
  readonly allowedHosts?: readonly string[]
  /** Instruments to be shown; those of {@link metrics} when absent. */
  readonly metrics?: Metrics
}

/** Page of a program; it keeps the process alive until it is closed. */
export interface ProgramPage {
  /** Address of the page. */
  readonly url: string
  /** Ends it and lets go of the port; never rejects. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Serves the live page from the program itself, without a hub beside it: charts of every instrument
 * each second, for the last twenty minutes, `/metrics` and the API. Other programs may push to it,
 * too, as to any hub.
 * @throws {NoListenerError} where the port is taken
 * @throws {RangeError} beyond the registry's limit of sessions
 * @example
 * ```ts
 * import { counter, servePage } from 'pentameter'
 *
 * const page = await servePage({ port: 0 })
 * counter('store.sold').add()
 * console.log(`see ${page.url}`)
 * await page.close()
 * ```
 */
export async function servePage(options: PageOptions = {}): Promise<ProgramPage> {
  const { port = 4000, host = '127.0.0.1', allowedHosts = [], metrics: shown = metrics } = options
  const [{ startHub }, { GUESTS }] = await Promise.all([
    import('./start-hub.ts'),
    import('./dialects/registry.ts'),
  ])
  const hub = await startHub({
    // what needs a port of its own is left out
    guests: GUESTS.filter(({ dialect }) => dialect.port === HTTP_PORT),
    config: { httpPort: port, host, allowedHosts: [...allowedHosts], ingestWorkers: 0 },
  })
  const bound = hub.addresses.http!
  // all that was counted before is new to this hub
  const sinceMs = Date.now()
  const own = bound.host === '0.0.0.0' || bound.host === '::' ? 'localhost' : bound.host
  const connection = shown.connect(`pentameter://${addressText(own, bound.port)}`, {}, sinceMs)
  const close = async (): Promise<void> => {
    await connection.close()
    await hub.close()
  }
  return {
    url: `http://${addressText(own, bound.port)}/`,
    close,
    [Symbol.asyncDispose]: close,
  }
}
