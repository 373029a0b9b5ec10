/**
 * Notices that the process has no file descriptor left. The system's answer to an accept does not
 * tell it: libuv keeps one descriptor back, and with it takes and closes each connection that
 * cannot be served, on every listener and in every thread, without an error. So one is opened and
 * closed once a second, and what that says holds for the whole process.
 */
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import type { Log } from '../log.ts'
import type { Participant } from '../resident.ts'
import type { SelfMetrics } from '../status/self-metrics.ts'
import type { Task } from '../tasks/task.ts'

/** Codes of the process's limit and of the system's. */
const EXHAUSTED: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE'])

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
