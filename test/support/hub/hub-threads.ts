/** A hub whose text is taken by four real threads, and many senders at once. */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { CreateWorker } from '../../../src/hub/threads/ingest-threads.ts'
import { packet, seriesNamed, startHub, type TestHub } from './hub.ts'

export const THREADS = 4

/** A hub with four ingest threads, which the test can end. */
export async function startThreads(options: Record<string, unknown> = {}) {
  const workers: Worker[] = []
  const createWorker: CreateWorker = (workerData) => {
    const program = new URL('../../../src/hub/threads/ingest-thread.ts', import.meta.url)
    const worker = new Worker(program, { workerData, execArgv: [] })
    workers[workerData.thread] = worker
    return worker
  }
  const started = await startHub({ ingestWorkers: THREADS, ...options }, { createWorker })
  return { ...started, workers }
}

/** Sends each list of datagrams from a socket of its own, slowly enough to lose none. */
export async function sendFromMany(
  port: number,
  lists: readonly (readonly Buffer[])[],
): Promise<void> {
  await Promise.all(
    lists.map(async (datagrams) => {
      const socket = createSocket('udp4')
      for (const datagram of datagrams) {
        await new Promise((resolve) => socket.send(datagram, port, '127.0.0.1', resolve))
        await setImmediate()
      }
      socket.close()
    }),
  )
}

/** Sends bytes over a connection of their own and waits for its end. */
export async function sendConnection(port: number, writes: readonly Buffer[]): Promise<void> {
  await endConnection(await openConnection(port), writes)
}

export async function openConnection(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Sends bytes over a connection, the last ones, and waits for its end. */
export async function endConnection(socket: Socket, writes: readonly Buffer[]): Promise<void> {
  for (const bytes of writes) {
    if (!socket.write(bytes)) await once(socket, 'drain')
  }
  socket.end()
  if (!socket.destroyed) await once(socket, 'close')
}

/** Waits for what real threads bring about; the test's time limit ends it when it does not come. */
export async function eventually(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await setTimeout(1)
}

/** Waits until the threads have taken so many measurements and the totals hold them. */
export async function taken({ hub }: Pick<TestHub, 'hub'>, count: number): Promise<void> {
  await eventually(() => hub.measurements('statshero') >= count)
  await hub.settle()
  assert.equal(hub.measurements('statshero'), count)
}

export function totalOf({ hub }: Pick<TestHub, 'hub'>, name: string): unknown {
  const total = hub.total(seriesNamed(hub, name))
  return total.kind === 'counter' ? total.total : total
}

/** Sends lines from one socket until it is told to stop. */
export async function sendUntil(port: number, signal: AbortSignal): Promise<void> {
  const socket = createSocket('udp4')
  while (!signal.aborted) {
    await new Promise((resolve) => socket.send(packet('load:1|m\n'), port, '127.0.0.1', resolve))
    await setTimeout(1)
  }
  socket.close()
}
