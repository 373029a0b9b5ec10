/**
 * Attacks in a thread of their own, so that what they cost is none of the neighbours' time: begins
 * the attack that it was made for, and ends it at the first message.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { HubProcess } from '../support/hub/hub-process.ts'
import { ATTACKS } from './attacks.ts'

/** Runs an attack by its name until the signal; resolves when its sockets are gone. */
export async function attack(name: string, hub: HubProcess, signal: AbortSignal): Promise<void> {
  const { listeners } = hub
  const worker = new Worker(new URL(import.meta.url), { workerData: { name, listeners } })
  const ended = new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => resolve())
  })
  worker.on('message', (ms: number) => hub.stepClock(ms))
  signal.addEventListener('abort', () => worker.postMessage('stop'))
  await ended
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort
  const { name, listeners } = workerData
  const stop = new AbortController()
  port.once('message', () => stop.abort())
  const attack = ATTACKS.find((each) => each.name === name)!
  await attack.run({ listeners, stepClock: (ms) => port.postMessage(ms) }, stop.signal)
}
