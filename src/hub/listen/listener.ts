/** One listening port of the hub, bound by its main thread or by all ingest threads. */
import type { ListenerStatus } from '../status/status.ts'
import type { PortContext, PortOptions } from './port-options.ts'
import type { TakeTapped } from './tap/tap.ts'

export interface Listener {
  readonly options: PortOptions
  /** The bound port; the wished one while it is not bound. */
  readonly port: number
  readonly isListening: boolean
  readonly refusedConnections: number
  /** Tries to bind; on failure says so and tries again later. */
  start(): Promise<void>
  /** Reads the kernel's drop count; called about once a second. */
  readDrops(): Promise<void>
  status(): ListenerStatus
  /**
   * Copies what comes for one who watches, as far as that costs little.
   * @returns a function that ends it
   */
  tap(take: TakeTapped): () => void
  /** Stops accepting; connections are closed by their dialects' servers. */
  stop(): Promise<void>
}

/** Pause before a port that could not be bound is tried again, ms. */
export const RETRY_MS = 15_000

/** Says why a port could not be bound, for people. */
export function bindProblem({ code, message }: NodeJS.ErrnoException): string {
  return code === 'EADDRINUSE' ? 'port is taken by another process' : message
}

/** Tells what receive buffer the kernel granted, and warns when it is less than was asked for. */
export function reportBuffer(
  { name, receiveBufferBytes }: PortOptions,
  granted: number,
  { metrics, log }: Pick<PortContext, 'metrics' | 'log'>,
): void {
  metrics.gauge('pentameter.udp.receive.buffer', granted, { listener: name }, 'bytes')
  if (granted >= receiveBufferBytes) return
  log(
    'warn',
    `udp receive buffer of ${granted} bytes, asked for ${receiveBufferBytes}: bursts may be lost`,
    { listener: name, hint: `sysctl -w net.core.rmem_max=${receiveBufferBytes}` },
  )
}
