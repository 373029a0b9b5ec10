/**
 * The file descriptors of the process: how many connections they allow, and whether any is left.
 * The system's answer to an accept does not tell the latter: libuv keeps one descriptor back, and
 * with it takes and closes each connection that cannot be served, on every listener and in every
 * thread, without an error. So one is opened and closed once a second, and what that says holds for
 * the whole process.
 */
import { closeSync, openSync, readFileSync } from 'node:fs'
import { devNull } from 'node:os'
import type { Log } from '../log.ts'
import type { Participant } from '../resident.ts'
import type { SelfMetrics } from '../status/self-metrics.ts'
import type { Task } from '../tasks/task.ts'

/** Codes of the process's limit and of the system's. */
const EXHAUSTED: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE'])

/** Descriptors of a hub without connections: Node's, and such for files, peers and exports. */
const OWN = 56
const OWN_OF_THREAD = 8
/** Places that a port has however few descriptors there are. */
const PLACES_MIN = 4

/** Places for connections. */
interface Places {
  /** Number for each listener but that of HTTP. */
  readonly connectionsLimit: number
  readonly httpConnections: number
}

/**
 * Lowers limits of connections to what the descriptors of the process allow, each by the same part:
 * a port whose places are all taken shares them out by address, but a process without descriptors
 * can only turn away.
 * @param listeners number of ports besides that of HTTP
 * @param limit descriptors of the process; undefined where the system does not say it
 */
export function fitToDescriptors(
  wished: Places,
  hub: { readonly listeners: number; readonly threads: number },
  log: Log,
  limit: number | undefined = descriptorLimit(),
): Places {
  const { connectionsLimit, httpConnections } = wished
  const wanted = connectionsLimit * hub.listeners + httpConnections
  const left = (limit ?? Number.POSITIVE_INFINITY) - OWN - OWN_OF_THREAD * hub.threads
  if (left >= wanted) return wished
  const fitted = (places: number): number =>
    Math.min(places, Math.max(PLACES_MIN, Math.floor((places * left) / wanted)))
  const places = {
    connectionsLimit: fitted(connectionsLimit),
    httpConnections: fitted(httpConnections),
  }
  const facts = { files: limit, hint: 'ulimit -n', ...places }
  log('warn', 'the process may open few files: fewer connections are taken', facts)
  return places
}

/** Reads how many descriptors the process may have, where the system says so. */
function descriptorLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1')
    const soft = /^Max open files +(\d+)/m.exec(limits)?.[1]
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}

interface DescriptorsParts {
  readonly metrics: SelfMetrics
  readonly log: Log
  /** Opens and closes one. @throws the system's error */
  readonly probe?: () => void
}

export class Descriptors implements Participant {
  readonly #parts: DescriptorsParts
  readonly #probe: () => void
  /** Seconds since there is none left; 0 while there are some. */
  #exhaustedS = 0

  constructor(parts: DescriptorsParts) {
    this.#parts = parts
    this.#probe = parts.probe ?? (() => closeSync(openSync(devNull, 'r')))
  }

  // biome-ignore lint/correctness/useYield: it has nothing to pause for
  *beforeClose(_endMs: number, seconds: number): Task {
    const code = this.#lacking()
    const { metrics, log } = this.#parts
    if (code !== undefined) {
      if (this.#exhaustedS === 0) {
        const hint = code === 'EMFILE' ? 'ulimit -n' : 'sysctl fs.file-max'
        log('error', 'no file descriptor is left: connections are closed unserved', { code, hint })
      }
      this.#exhaustedS += seconds
      metrics.counter('pentameter.descriptors.exhausted', { reason: code }).add(seconds)
    } else if (this.#exhaustedS > 0) {
      log('warn', 'there are file descriptors again', { seconds: this.#exhaustedS })
      this.#exhaustedS = 0
    }
  }

  #lacking(): string | undefined {
    try {
      this.#probe()
      return undefined
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      // a system without this file says nothing about descriptors
      return EXHAUSTED.has(code) ? code : undefined
    }
  }
}
