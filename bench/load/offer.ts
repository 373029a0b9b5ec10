/** One round of a question about ingest: measurements to a receiver, and what they cost it. */
import { setTimeout as wait } from 'node:timers/promises'
import { busiestThreadSeconds, cpuSeconds, threadSeconds } from '../measure/process-cpu.ts'
import type { Program, Receiver } from '../receivers/receiver.ts'
import { MEASUREMENTS, measurementsOf, NAME_COUNT, packets } from './measurements.ts'
import type { StreamSender } from './stream-sender.ts'
import { cutIntoWrites, sendTcp } from './tcp-sender.ts'
import { BurstSender } from './udp-sender.ts'
import { WINDOWS } from './windows.ts'

/** After its queue is empty a receiver still has the last reads in hand. */
const SETTLE_MS = 20

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
  const stream = Buffer.concat(packets(receiver.syntax, linesPerFrame, names, first))
  const writes = cutIntoWrites(stream)
  const send = () => sendTcp(receiver.tcpPort, writes, times)
  const lines = times * measurementsOf(names)
  return lines / (await cost(receiver, lines, send))
}

/**
 * Processor seconds per million measurements over UDP.
 * @param burst datagrams that lie in the receiver's socket when it is let run
 */
export async function offerUdp(
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
  const writes = cutIntoWrites(Buffer.concat(packets(receiver.syntax, linesPerFrame)))
  const lines = connections * times * MEASUREMENTS
  const threads = threadSeconds(receiver.pid)
  const sender = process.cpuUsage()
  const start = performance.now()
  let wallSeconds = 0
  const processorSeconds = await cost(receiver, lines, async () => {
    const senders = Array.from({ length: connections }, () => {
      return sendTcp(receiver.tcpPort, writes, times)
    })
    await Promise.all(senders)
    wallSeconds = (performance.now() - start) / 1000
  })
  const { user, system } = process.cpuUsage(sender)
  const busiestSeconds = busiestThreadSeconds(receiver.pid, threads)
  const senderSeconds = (user + system) / 1e6
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

/** Processor seconds that the receiver spends; @throws when it did not take in what it was sent. */
async function cost(receiver: Program, expected: number, send: () => Promise<void>) {
  const before = await receiver.received()
  const start = cpuSeconds(receiver.pid)
  await send()
  await wait(SETTLE_MS)
  const seconds = cpuSeconds(receiver.pid) - start
  const after = await receiver.received()
  if (before !== undefined && after !== undefined && after - before !== expected) {
    throw new Error(`${receiver.title} took in ${after - before} of ${expected} measurements`)
  }
  return seconds
}
