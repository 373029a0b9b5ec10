/**
 * Processes that are found by their sockets (§2, §10): looked for once a second, each asked once
 * who it is, and read from for as long as its socket is there. Stale sockets are never connected
 * to.
 */
import { compileGlob, type Glob } from '../../../../model/text/glob.ts'
import { Backoff } from '../../../../time/backoff.ts'
import { LinkState } from '../../../../time/link-state.ts'
import type { ChosenPeer, Source, SourceContext } from '../../../endpoints.ts'
import type { ProcessFacts } from '../../codec/ipc/messages.ts'
import { CommandError, readFacts } from '../command.ts'
import { socketDoor } from '../door.ts'
import {
  findProcess,
  isSuspended,
  listProcesses,
  type ProcessPlaces,
  type ProcessSocket,
} from '../processes.ts'
import type { ProcessAddress } from './address.ts'
import { programOf } from './attached-process.ts'
import { Processes, type ProcessesParts } from './attached-processes.ts'

/** Pause between two looks for processes, ms. */
const LOOK_MS = 1000
/** Pauses between two questions to a process that has not answered. */
const BACKOFF = { reconnectFirstMs: 1000, reconnectLimitMs: 60_000, reconnectJitter: 0 }

/** A socket that was seen. */
interface Seen {
  readonly socket: ProcessSocket
  readonly backoff: Backoff
  /** Facts of its process, once it has told them. */
  facts: ProcessFacts | undefined
  isAsking: boolean
  /** Time until which it is not asked, ms of the wall clock. */
  waitsUntilMs: number
  isAttached: boolean
  /** Whether another address reads from it. */
  isElsewhere: boolean
  /** Whether there were too many when it was to be read from. */
  isRefused: boolean
}

interface FollowerParts extends ProcessesParts {
  readonly address: ProcessAddress
  readonly places?: ProcessPlaces
}

export class Follower implements Source {
  readonly #parts: FollowerParts
  readonly #context: SourceContext
  readonly #processes: Processes
  readonly #matches: Glob
  /** Sockets by path. */
  readonly #seen = new Map<string, Seen>()
  /** Reason why there is no process, while there is none. */
  readonly #link: LinkState
  #stale = 0
  #isClosed = false
  #cancel: () => void = () => {}

  constructor(parts: FollowerParts) {
    this.#parts = parts
    this.#context = parts.context
    this.#processes = new Processes(parts)
    this.#link = new LinkState(parts.context.clock)
    const { choice } = parts.address
    this.#matches = compileGlob(choice.kind === 'name' ? choice.pattern : '*')
    void this.#look()
  }

  status(): ChosenPeer {
    return this.statuses()[0]!
  }

  statuses(): readonly ChosenPeer[] {
    const statuses = this.#processes.statuses()
    return statuses.length === 0 ? [this.#absentStatus()] : statuses
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.#processes.close()
  }

  #absentStatus(): ChosenPeer {
    const { name } = this.#parts.address
    const { status } = this.#link
    return {
      peer: { transport: 'tcp', address: name, port: 0, name: `unix ${name}` },
      ...{ sinceMs: status.sinceMs, facts: { stale: this.#stale }, link: status, name },
    }
  }

  async #look(): Promise<void> {
    const { choice } = this.#parts.address
    const { places } = this.#parts
    try {
      const sockets =
        choice.kind === 'pid'
          ? [(await findProcess(choice.pid, places)) ?? []].flat()
          : await listProcesses(places)
      if (!this.#isClosed) this.#compare(sockets)
    } catch (error) {
      this.#link.failed((error as Error).message)
    }
    if (!this.#isClosed) {
      this.#cancel = this.#context.clock.after(LOOK_MS, () => void this.#look())
    }
  }

  /** Compares what is there with what was: lets go of what is gone, and asks what is new. */
  #compare(sockets: readonly ProcessSocket[]): void {
    const there = new Map(sockets.map((socket) => [socket.path, socket]))
    for (const [path, seen] of this.#seen) {
      const socket = there.get(path)
      if (socket?.isStale === false) continue
      this.#seen.delete(path)
      if (seen.isAttached) this.#processes.release(seen.facts!.cookie, 'the process has ended')
    }
    const stale = sockets.filter(({ isStale }) => isStale).length
    if (stale > this.#stale) {
      this.#context.reports.count('sockets_skipped', 'stale', stale - this.#stale)
    }
    this.#stale = stale
    for (const socket of sockets) {
      // the hub itself may have a socket, too
      if (socket.isStale || socket.pid === process.pid) continue
      const seen = this.#seen.get(socket.path) ?? this.#see(socket)
      if (!seen.isAttached) this.#consider(seen)
    }
    if (this.#processes.size === 0) this.#tellAbsence(sockets)
  }

  #see(socket: ProcessSocket): Seen {
    const seen: Seen = {
      ...{ socket, backoff: new Backoff(BACKOFF, Math.random), facts: undefined },
      ...{ isAsking: false, waitsUntilMs: 0, isAttached: false },
      ...{ isElsewhere: false, isRefused: false },
    }
    this.#seen.set(socket.path, seen)
    return seen
  }

  #consider(seen: Seen): void {
    if (seen.facts !== undefined) this.#attach(seen, seen.facts)
    else if (!seen.isAsking && this.#context.clock.wallMs() >= seen.waitsUntilMs) {
      void this.#ask(seen)
    }
  }

  /** Asks a process who it is. */
  async #ask(seen: Seen): Promise<void> {
    const { clock, reports } = this.#context
    seen.isAsking = true
    try {
      const facts = await readFacts(socketDoor(seen.socket.path), clock)
      if (await isSuspended(seen.socket.pid, facts.commandLine, this.#parts.places)) {
        this.#wait(seen)
        return
      }
      seen.facts = facts
      if (!this.#isClosed && this.#seen.has(seen.socket.path)) this.#attach(seen, seen.facts)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      const retryMs = seen.backoff.nextMs()
      seen.waitsUntilMs = clock.wallMs() + retryMs
      reports.count('connect_failed', error.reason)
      if (this.#isMeant(seen) && this.#processes.size === 0)
        this.#link.failed(error.message, retryMs)
    } finally {
      seen.isAsking = false
    }
  }

  /** Leaves alone a process that has yet to begin, for a while. */
  #wait(seen: Seen): void {
    seen.waitsUntilMs = this.#context.clock.wallMs() + LOOK_MS
    if (!this.#isMeant(seen) || this.#processes.size > 0) return
    this.#link.failed(`process ${seen.socket.pid} waits at its diagnostic port to be told to begin`)
  }

  #attach(seen: Seen, facts: ProcessFacts): void {
    if (!this.#isMeant(seen)) return
    const adoption = this.#processes.adopt(socketDoor(seen.socket.path), facts, false)
    seen.isAttached = adoption === 'adopted'
    seen.isElsewhere = adoption === 'known'
    if (adoption === 'full' && !seen.isRefused) {
      this.#context.reports.count('processes_refused', 'processes_limit')
    }
    seen.isRefused = adoption === 'full'
  }

  #isMeant({ socket, facts }: Seen): boolean {
    if (this.#parts.address.choice.kind === 'pid' || this.#matches(socket.name)) return true
    return facts !== undefined && this.#matches(programOf(facts))
  }

  #tellAbsence(sockets: readonly ProcessSocket[]): void {
    const { choice } = this.#parts.address
    const meant = [...this.#seen.values()].filter((seen) => this.#isMeant(seen))
    const taken = meant.filter(({ isElsewhere }) => isElsewhere).length
    if (taken > 0) {
      const are = taken === 1 ? 'a process of it is' : `${taken} processes of it are`
      const what = choice.kind === 'pid' ? `process ${choice.pid} is` : are
      this.#link.failed(`${what} read from already, by another address`)
    } else if (meant.length === 0 && ![...this.#seen.values()].some(isUnknown)) {
      const count = sockets.filter(({ isStale }) => !isStale).length
      const what =
        choice.kind === 'pid'
          ? `process ${choice.pid} has no diagnostics socket: no .NET, or turned off there`
          : `no process of the name has a diagnostics socket; ${count} others have one`
      this.#link.failed(what)
    }
  }
}

/** Tells whether a process may yet say that it is meant. */
function isUnknown({ facts, isAsking }: Seen): boolean {
  return facts === undefined && isAsking
}
