/** Processor time of another process, of all its threads or each, from Linux' /proc. */
import { readdirSync, readFileSync } from 'node:fs'

/** Ticks per second in which /proc counts on every processor that Node runs on (USER_HZ). */
const TICKS_PER_SECOND = 100
/** Places of `utime` and `stime` behind the command's name, proc(5) fields 14 and 15. */
const USER_TIME = 11
const SYSTEM_TIME = 12

/** Seconds in user and system mode since the process began, in steps of 10 ms. */
export function cpuSeconds(pid: number): number {
  return secondsOf(`/proc/${pid}/stat`)
}

/** The same of each thread of a process, by the system's number of the thread. */
export function threadSeconds(pid: number): Map<string, number> {
  const folder = `/proc/${pid}/task`
  const threads = readdirSync(folder)
  return new Map(threads.map((thread) => [thread, secondsOf(`${folder}/${thread}/stat`)]))
}

/** What the busiest thread has spent since then, which bounds a program that has cores to spare. */
export function busiestThreadSeconds(pid: number, since: ReadonlyMap<string, number>): number {
  const spent = [...threadSeconds(pid)].map(([thread, now]) => now - (since.get(thread) ?? 0))
  return Math.max(...spent)
}

function secondsOf(file: string): number {
  const stat = readFileSync(file, 'latin1')
  // the name may hold spaces and parentheses: the last one ends it
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) / TICKS_PER_SECOND
}
