/**
 * Noticing that a thread has ended, however it did: by a Web Lock that every thread with a zone
 * holds for as long as it lives, and that the runtime takes back when the thread is gone, even when
 * it was terminated in a loop that never ends.
 *
 * Requests of one name are granted in the order in which they were made, and making one is
 * synchronous: it stands in the process's list before `request` returns. A thread makes its own
 * before it touches a zone and tells the watchers afterwards, so a watcher's request always stands
 * behind it. A thread that dies before its own was granted takes the request with it: then, too,
 * the watcher's is next.
 *
 * The runtime takes back the locks of the dead without looking who waits for them, which it does at
 * the next request of any name. A watcher therefore makes one every so often; of the threads that
 * it has started itself it learns by their exit events, at once. Neither locks nor the timer keep a
 * process alive.
 *
 * Where the runtime has no locks (Node before 24.5), only the exit events are left: the death of
 * threads that another thread has started goes unnoticed, and their segments stay leased. No total
 * is lost by that.
 */
import process from 'node:process'
import * as threads from 'node:worker_threads'
import { threadId, type Worker } from 'node:worker_threads'

type Locks = typeof threads.locks

/** Locks, read as a property: a named import of what is missing would be an error. */
const locks: Locks | undefined = threads.locks

const nameOf = (thread: number): string => `pentameter:thread:${thread}`
const LOOK_NAME = 'pentameter:look'
const LOOK_MS = 250

let hasPulse = false

/** Makes this thread's request; once per thread, for all zones. */
export function keepPulse(): void {
  if (hasPulse || locks === undefined) return
  hasPulse = true
  const forEver = new Promise<void>(() => {})
  locks.request(nameOf(threadId), () => forEver).catch(ignoreEnd)
}

/** Ignores what a request is rejected with when its own thread ends first. */
function ignoreEnd(): void {}

/** Calls that tell of the end of a thread, by its id. */
const watched = new Map<number, (() => void)[]>()
/** Threads that ended before a thread asked; only where there are no locks to tell. */
const ended = new Set<number>()
let looking: NodeJS.Timeout | undefined
let seesExits = false

/** Watches exits; to be called before threads are started that are to be watched. */
export function watchExits(): void {
  if (seesExits) return
  seesExits = true
  process.on('worker', (worker: Worker) => {
    const started = worker.threadId
    worker.once('exit', () => {
      if (locks === undefined) ended.add(started)
      tell(started)
    })
  })
}

/**
 * Calls back at the exit event of a thread that this thread has just started: no lock is needed for
 * that, but it must have been preceded by {@link watchExits}.
 */
export function watchExitOf(thread: number, whenGone: () => void): void {
  const others = watched.get(thread)
  if (others === undefined) watched.set(thread, [whenGone])
  else others.push(whenGone)
}

/** Calls back in a turn of this thread's event loop once another thread of the process is gone. */
export function watchThread(thread: number, whenGone: () => void): void {
  if (thread === threadId) return
  const others = watched.get(thread)
  if (others !== undefined) {
    others.push(whenGone)
    return
  }
  watched.set(thread, [whenGone])
  if (locks === undefined) {
    if (ended.has(thread)) setImmediate(tell, thread)
    return
  }
  locks.request(nameOf(thread), () => tell(thread)).catch(ignoreEnd)
  looking ??= setInterval(look, LOOK_MS, locks).unref()
}

function look(manager: Locks): void {
  manager.request(LOOK_NAME, ignoreEnd).catch(ignoreEnd)
}

function tell(thread: number): void {
  const told = watched.get(thread)
  watched.delete(thread)
  if (watched.size === 0) {
    clearInterval(looking)
    looking = undefined
  }
  for (const whenGone of told ?? []) whenGone()
}
