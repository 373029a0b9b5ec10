/** One round of a question about ingest: measurements to a receiver, and what they cost it. */
import { setTimeout as wait } from 'node:timers/promises'
import { familySeconds } from '../measure/machine.ts'
import { until } from '../measure/patience.ts'
import { busiestThread, cpuSeconds, threadSeconds } from '../measure/process-cpu.ts'
import type { Program, Receiver } from '../receivers/receiver.ts'
import { sendPaced } from './datagram-sender.ts'
import { MEASUREMENTS, measurementsOf, NAME_COUNT, packets } from './measurements.ts'
import { socketQueue } from './socket-queue.ts'
import { openSender, type StreamSender } from './stream-sender.ts'
import { BurstSender } from './udp-sender.ts'
import { WINDOWS } from './windows.ts'

/** After its queue is empty a receiver still has the last reads in hand. */
const SETTLE_MS = 20

const senders = new Map<string, StreamSender>()

/** Of all measurements in one syntax, prepared once. */
function senderOf(
  { syntax }: Receiver,
  linesPerFrame: number,
  names: number,
  first = 0,
): StreamSender {
  const what = `${syntax} ${linesPerFrame} ${names} ${first}`
  const sender =
    senders.get(what) ?? openSender(Buffer.concat(packets(syntax, linesPerFrame, names, first)))
  senders.set(what, sender)
  return sender
}

/**
 * Measurements per processor second over TCP.
 * @param times passes over all prepared measurements
 * @param first number of the first name
 */
export async function offerTcp(
  receiver: Receiver,
  linesPerFrame: number,
  times: number,
  names = NAME_COUNT,
  first = 0,
) {
  const sender = senderOf(receiver, linesPerFrame, names, first)
  const lines = times * measurementsOf(names)
  return lines / (await cost(receiver, lines, () => sender.send(receiver.tcpPort, times)))
}

/**
 * Processor seconds per million measurements over UDP, in bursts.
 * @param burst datagrams that lie in the receiver's socket when it is let run
 */
export async function offerBursts(
  receiver: Receiver,
  linesPerDatagram: number,
  times: number,
  burst: number,
) {
  const datagrams = packets(receiver.syntax, linesPerDatagram)
  const count = times * MEASUREMENTS
  const sender = await BurstSender.open(receiver.pid, receiver.udpPort)
  try {
    const send = () => sender.send(datagrams, times * datagrams.length, burst)
    return ((await cost(receiver, count, send)) / count) * 1e6
  } finally {
    sender.close()
  }
}

/**
 * Processor seconds per million measurements over UDP at an even pace; what the kernel dropped was
 * not taken in, and is not counted.
 * @param perSecond datagrams
 */
export async function offerPaced(
  receiver: Receiver,
  linesPerDatagram: number,
  times: number,
  perSecond: number,
) {
  const datagrams = packets(receiver.syntax, linesPerDatagram)
  const drops = socketQueue(receiver.udpPort).drops
  let taken = 0
  const seconds = await cost(
    receiver,
    () => taken,
    async () => {
      const count = times * datagrams.length
      await sendPaced(receiver.udpPort, datagrams, count, perSecond)
      const isEmpty = (): boolean => socketQueue(receiver.udpPort).bytes === 0
      await until(isEmpty, `${receiver.title} to empty its queue`, 1)
      taken = (count - (socketQueue(receiver.udpPort).drops - drops)) * linesPerDatagram
    },
  )
  return (seconds / taken) * 1e6
}

/** One connection's prepared measurements, once. */
export interface OfferedPass {
  /** Thread that took them, by the system's number: the busiest besides the main thread. */
  readonly thread: string
  readonly processorSeconds: number
}

/** Offers each name as often as it is prepared, over one connection. */
export async function offerPass(
  receiver: Receiver,
  linesPerFrame: number,
  names: number,
  first: number,
): Promise<OfferedPass> {
  const sender = senderOf(receiver, linesPerFrame, names, first)
  let thread = ''
  const processorSeconds = await cost(receiver, measurementsOf(names), async () => {
    const before = threadSeconds(receiver.pid)
    // the main thread closes seconds meanwhile, and has no connection
    before.set(String(receiver.pid), Number.POSITIVE_INFINITY)
    await sender.send(receiver.tcpPort, 1)
    thread = busiestThread(receiver.pid, before).thread
  })
  return { thread, processorSeconds }
}

/** What it took to get lines into a receiver. */
export interface Offered {
  readonly lines: number
  readonly wallSeconds: number
  /** Of the receiver's thread that spent most. */
  readonly busiestSeconds: number
  /** Of all its threads. */
  readonly processorSeconds: number
  readonly senderSeconds: number
}

/** Offers the same over several connections at once, all prepared measurements `times` on each. */
export async function offerConnections(
  receiver: Receiver,
  connections: number,
  linesPerFrame: number,
  times: number,
): Promise<Offered> {
  const sender = senderOf(receiver, linesPerFrame, NAME_COUNT)
  const lines = connections * times * MEASUREMENTS
  const threads = threadSeconds(receiver.pid)
  const before = familySeconds() ?? 0
  const start = performance.now()
  let wallSeconds = 0
  const processorSeconds = await cost(receiver, lines, async () => {
    await sender.send(receiver.tcpPort, times, connections)
    wallSeconds = (performance.now() - start) / 1000
  })
  const { seconds: busiestSeconds } = busiestThread(receiver.pid, threads)
  const senderSeconds = (familySeconds() ?? 0) - before
  return { lines, wallSeconds, busiestSeconds, processorSeconds, senderSeconds }
}

/** What it took to get windows into a program. */
export interface OfferedWindows {
  readonly windows: number
  /** Until it has read the last byte. */
  readonly wallSeconds: number
  readonly processorSeconds: number
}

/**
 * Offers frames of Wallaroo over one connection.
 * @param sender of all prepared windows, which sends them `times` times
 */
export async function offerWindows(
  program: Program,
  sender: StreamSender,
  times: number,
): Promise<OfferedWindows> {
  const windows = times * WINDOWS
  let wallSeconds = 0
  const processorSeconds = await cost(program, windows, async () => {
    const start = performance.now()
    await sender.send(program.tcpPort, times)
    wallSeconds = (performance.now() - start) / 1000
  })
  return { windows, wallSeconds, processorSeconds }
}

/**
 * Processor seconds that the receiver spends.
 * @param expected what it has to take in, or says so when all is sent
 * @throws when it did not take that in
 */
async function cost(
  receiver: Program,
  expected: number | (() => number),
  send: () => Promise<void>,
): Promise<number> {
  const before = await receiver.received()
  const start = cpuSeconds(receiver.pid)
  await send()
  await wait(SETTLE_MS)
  const seconds = cpuSeconds(receiver.pid) - start
  const after = await receiver.received()
  const wanted = typeof expected === 'number' ? expected : expected()
  receiver.expect?.(wanted)
  if (before !== undefined && after !== undefined && after - before !== wanted) {
    throw new Error(`${receiver.title} took in ${after - before} of ${wanted} measurements`)
  }
  return seconds
}
