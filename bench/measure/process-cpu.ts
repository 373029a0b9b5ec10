/** Processor time of another process, all its threads, from Linux' /proc. */
import { readFileSync } from 'node:fs'

/** Ticks per second in which /proc counts on every processor that Node runs on (USER_HZ). */
const TICKS_PER_SECOND = 100
/** Places of `utime` and `stime` behind the command's name, proc(5) fields 14 and 15. */
const USER_TIME = 11
const SYSTEM_TIME = 12

/** Seconds in user and system mode since the process began, in steps of 10 ms. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // the name may hold spaces and parentheses: the last one ends it
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) / TICKS_PER_SECOND
}
