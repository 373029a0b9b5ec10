/** The hub's own socket for the tools of .NET: all its series, as the counters of one process. */
import type { Log } from '../../../hub/log.ts'
import type { Resident, ResidentContext } from '../../../hub/resident.ts'
import type { LimitStatus } from '../../../hub/status/status.ts'
import type { PeerConnection } from '../../endpoints.ts'
import { DotnetSocket } from '../server.ts'
import { NAME, SOCKET_LIMITS } from '../spec.ts'

class SocketResident implements Resident {
  readonly #context: ResidentContext
  readonly #log: Log
  #socket: DotnetSocket | undefined

  constructor(context: ResidentContext) {
    this.#context = context
    this.#log = context.log
  }

  /** Binds the socket; a hub goes on without it, and says so. */
  async start(): Promise<void> {
    const { clock, reports, options, counterEvents } = this.#context
    const source = counterEvents()
    if (source === undefined) {
      this.#log('error', 'no socket for the tools of .NET: no dialect gives series as counters')
      return
    }
    const clrVersion = options.clrVersion as string
    const socket = new DotnetSocket({ source, clock, clrVersion, reports: reports.for(NAME) })
    try {
      await socket.start()
    } catch (error) {
      this.#log('error', 'no socket for the tools of .NET', { error: (error as Error).message })
      return
    }
    this.#socket = socket
    const hint = `dotnet-counters monitor -p ${process.pid} --counters PROVIDER`
    this.#log('info', 'the tools of .NET see this hub', { path: socket.path, hint })
  }

  async stop(): Promise<void> {
    await this.#socket?.close()
    this.#socket = undefined
  }

  get valuesSent(): number {
    return this.#socket?.valuesSent ?? 0
  }

  get connectionCount(): number {
    return this.#socket?.sessionCount ?? 0
  }

  connections(): readonly PeerConnection[] {
    return this.#socket?.connections() ?? []
  }

  limits(): readonly LimitStatus[] {
    return [
      {
        name: 'nettrace.sessions',
        limit: SOCKET_LIMITS.sessions,
        used: this.connectionCount,
        refused: this.#socket?.sessionsRefused ?? 0,
        behaviour: 'A further session of a tool of .NET is refused.',
      },
    ]
  }
}

/** Makes the resident of a hub that is to have such a socket. */
export function createResident(context: ResidentContext): Resident | undefined {
  return context.options.dotnetSocket === true ? new SocketResident(context) : undefined
}
