/**
 * What a test loads into the process of a hub (`node --import`), to see and to do what can't be
 * seen or done from outside: how long the event loop is held by one step, memory in use, steps of
 * the wall clock, ends of threads. All go over descriptor 3, a line each.
 *
 *   to us    `step MS`      the wall clock is so much ahead from now on, in every thread
 *            `end NAME`     threads whose name has this in it end
 *            `memory`       ask for the other line of this name
 *   from us  `held MS`      longest step since the last line, where it was long
 *            `memory BYTES` heap in use, behind a collection where --expose-gc allows one
 *
 * A step is measured by the processor time of the thread, so that what other processes take of the
 * machine is none of it.
 */
import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { getHeapStatistics } from 'node:v8'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import { endThreads, noteThreads } from './threads-inside.ts'

/** Pause between looks, and the shortest step that is told, ms. */
const LOOK_MS = 5
const TELL_MS = 100
const KEY = 'pentameter.test.clock'

const shared = (getEnvironmentData(KEY) as SharedArrayBuffer | undefined) ?? share()
const aheadMs = new Float64Array(shared)
const systemNow = Date.now
Date.now = () => systemNow() + aheadMs[0]!

function share(): SharedArrayBuffer {
  const made = new SharedArrayBuffer(8)
  setEnvironmentData(KEY, made)
  return made
}

if (isMainThread) {
  noteThreads()
  const socket = new Socket({ fd: 3 })
  socket.on('error', () => {})
  createInterface({ input: socket }).on('line', (line) => {
    const [name, ...words] = line.split(' ')
    const value = words.join(' ')
    if (name === 'step') aheadMs[0]! += Number(value)
    if (name === 'end') endThreads(value)
    if (name !== 'memory') return
    globalThis.gc?.()
    // not process.memoryUsage, which needs a descriptor
    socket.write(`memory ${getHeapStatistics().used_heap_size}\n`)
  })
  socket.unref()
  measure((heldMs) => void (socket.writable && socket.write(`held ${heldMs}\n`)))
}

/** Looks at the processor time between two turns of a timer that wants to come at once. */
function measure(tell: (heldMs: number) => void): void {
  let [lastMs, lastCpuMs] = [performance.now(), cpuMs()]
  let [heldMs, toldMs] = [0, lastMs]
  setInterval(() => {
    const [nowMs, nowCpuMs] = [performance.now(), cpuMs()]
    heldMs = Math.max(heldMs, Math.min(nowMs - lastMs - LOOK_MS, nowCpuMs - lastCpuMs))
    ;[lastMs, lastCpuMs] = [nowMs, nowCpuMs]
    if (nowMs - toldMs < TELL_MS) return
    tell(heldMs)
    ;[heldMs, toldMs] = [0, nowMs]
  }, LOOK_MS).unref()
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
