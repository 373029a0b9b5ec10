/** Processor time of another process, of all its threads or each, from Linux' /proc. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Ticks per second in which /proc counts on every processor that Node runs on (USER_HZ). */
export const TICKS_PER_SECOND = 100
/** Places of `utime` and `stime` behind the command's name, proc(5) fields 14 and 15. */
const USER_TIME = 11
const SYSTEM_TIME = 12
/** Whether the kernel tells of nanoseconds: the first number of a thread's schedstat. */
const HAS_NANOSECONDS = existsSync('/proc/self/schedstat')

/**
 * Seconds since the process began, in nanoseconds where the kernel counts so, otherwise in steps of
 * 10 ms. Threads that have ended are not in it.
 */
export function cpuSeconds(pid: number): number {
  if (!HAS_NANOSECONDS) return secondsOf(`/proc/${pid}`)
  let sum = 0
  for (const seconds of threadSeconds(pid).values()) sum += seconds
  return sum
}

/** The same of each thread of a process, by the system's number of the thread. */
export function threadSeconds(pid: number): Map<string, number> {
  const folder = `/proc/${pid}/task`
  const threads = readdirSync(folder)
  return new Map(threads.map((thread) => [thread, threadTime(`${folder}/${thread}`)]))
}

/** Finds the thread that has spent most since then: it bounds a program with cores to spare. */
export function busiestThread(
  pid: number,
  since: ReadonlyMap<string, number>,
): { readonly thread: string; readonly seconds: number } {
  let busiest = { thread: '', seconds: 0 }
  for (const [thread, now] of threadSeconds(pid)) {
    const seconds = now - (since.get(thread) ?? 0)
    if (seconds > busiest.seconds) busiest = { thread, seconds }
  }
  return busiest
}

/** Of one thread; 0 where it has ended since it was listed. */
function threadTime(folder: string): number {
  try {
    if (!HAS_NANOSECONDS) return secondsOf(folder)
    return Number(readFileSync(`${folder}/schedstat`, 'latin1').split(' ')[0]) / 1e9
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return 0
    throw error
  }
}

function secondsOf(folder: string): number {
  const stat = readFileSync(`${folder}/stat`, 'latin1')
  // the name may hold spaces and parentheses: the last one ends it
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) / TICKS_PER_SECOND
}
