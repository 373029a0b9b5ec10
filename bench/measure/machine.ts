/** The machine, and how much of it others used meanwhile, from Linux' /proc where there is one. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, type } from 'node:os'
import { TICKS_PER_SECOND } from './process-cpu.ts'

export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly system: string
  readonly node: string
}

export function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    system: `${type()} ${release()}`,
    node: process.version,
  }
}

/** How the machine was while something was measured. */
export interface Conditions {
  /** Average of the last minute, before and after. */
  readonly load: readonly [before: number, after: number]
  /** Cores that programs other than ours used, on average; undefined where nobody says. */
  readonly othersCores?: number
  readonly seconds: number
  /**
   * Time of `node -e 0`, ms: how quick the machine is with what is new to it (processes, pages of
   * memory). It was 26 and 120 on machines of the same name.
   */
  readonly nodeStartMs?: number
}

const STARTS = 5

/** Fields of the first line of /proc/stat that are times in which a core did nothing. */
const IDLE = 3
const IO_WAIT = 4
/** Guests' times are in those of users already. */
const STEAL = 7

/** Measures how long a Node takes that does nothing, ms: the least of some. */
function nodeStartMs(): number {
  const times = Array.from({ length: STARTS }, () => {
    const begin = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    return performance.now() - begin
  })
  return Math.min(...times)
}

/** Starts to watch; the function that it returns tells of the time since. */
export function watchMachine(): () => Conditions {
  const common = { nodeStartMs: nodeStartMs() }
  const before = loadavg()[0]!
  const start = performance.now()
  const [busy, own] = [busySeconds(), familySeconds()]
  return () => {
    const seconds = (performance.now() - start) / 1000
    const load = [before, loadavg()[0]!] as const
    if (busy === undefined || own === undefined) return { ...common, load, seconds }
    const others = busySeconds()! - busy - (familySeconds()! - own)
    return { ...common, load, seconds, othersCores: Math.max(0, others / seconds) }
  }
}

/** Seconds in which cores worked, for whomever: other guests of the host included. */
export function busySeconds(): number | undefined {
  if (!existsSync('/proc/stat')) return undefined
  const [line] = readFileSync('/proc/stat', 'latin1').split('\n')
  const times = line!
    .trim()
    .split(/\s+/)
    .slice(1, STEAL + 2)
  return times.reduce((sum, time, i) => {
    return i === IDLE || i === IO_WAIT ? sum : sum + Number(time) / TICKS_PER_SECOND
  }, 0)
}

/**
 * Processor time of this process and of its children that have ended: utime to cstime, proc(5)
 * fields 14 to 17.
 */
export function familySeconds(): number | undefined {
  if (!existsSync('/proc/self/stat')) return undefined
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, time) => sum + Number(time) / TICKS_PER_SECOND, 0)
}
