/**
 * Steady applications: text by TCP and UDP whose every line must be counted, and those that go on
 * while threads are ended under them, of whose lines only so many may be missing.
 */
import { createSocket } from 'node:dgram'
import type { Socket } from 'node:net'
import { type Client, packetOf, pause } from './client.ts'
import { end, open, write } from './connection.ts'

const STEP_MS = 10
const LINES = 5
/** A thread reads a connection at once; what was written so long before it ended, it had read. */
const UNREAD_MS = 1000
const SAMPLED_RATE = 0.4
/** Numbers of the steady senders by TCP. */
export const SENDERS = [0, 1, 2]
/** Lines that one at this rate stands for: a whole number of them only with an even value. */
export const SAMPLED_WEIGHT = 1 / SAMPLED_RATE

/** Sends meters, histograms and a gauge of its own over a connection that is made anew at times. */
export function tcpSender(index: number): Client {
  return async ({ target, ledger, gate, random }, signal) => {
    let socket: Socket | undefined
    let epoch = -1
    while (!signal.aborted) {
      await gate.through(async () => {
        if (epoch !== gate.epoch || random.below(500) === 0) {
          if (socket !== undefined) await end(socket)
          socket = await open(target.text)
          epoch = gate.epoch
        }
        const lines: string[] = []
        for (let i = 0; i < LINES; i++) {
          const [count, value] = [random.below(1000), random.below(1_000_000)]
          lines.push(`soak.meter:${count}|m`, `soak.spread:${value}|h`)
          ledger.add('soak.meter', count)
          ledger.add('soak.spread count', 1)
          ledger.add('soak.spread sum', value)
        }
        const level = random.below(1_000_000)
        lines.push(`soak.level.${index}:${level}|g`, 'soak.half:3|h|@0.5')
        ledger.set(`soak.level.${index}`, level)
        ledger.add('soak.half count', 2)
        ledger.add('soak.half sum', 6)
        await write(socket!, packetOf(lines))
      })
      await pause(STEP_MS, signal)
    }
    if (socket !== undefined) await end(socket)
  }
}

/** Sends what the main thread applies in order: readings, and weights that are no whole line. */
export const orderedSender: Client = async ({ target, ledger, gate, random }, signal) => {
  let socket: Socket | undefined
  let epoch = -1
  let reading = 1000
  ledger.set('soak.reading', 0)
  while (!signal.aborted) {
    await gate.through(async () => {
      if (epoch !== gate.epoch) {
        if (socket !== undefined) await end(socket)
        socket = await open(target.text)
        epoch = gate.epoch
      }
      // the first reading is where counting begins
      await write(
        socket!,
        packetOf([`soak.reading:${reading}|mr`, `soak.sampled:2|m|@${SAMPLED_RATE}`]),
      )
      const gain = random.below(100)
      ledger.set('soak.reading', reading - 1000)
      ledger.add('soak.sampled', 2 * SAMPLED_WEIGHT)
      reading += gain
    })
    await pause(STEP_MS, signal)
  }
  if (socket !== undefined) await end(socket)
}

/** One line a datagram, so that lost datagrams are lost lines. */
export const udpSender: Client = async ({ target, ledger, gate }, signal) => {
  const socket = createSocket('udp4')
  const { host, port } = target.text
  while (!signal.aborted) {
    await gate.through(async () => {
      for (let i = 0; i < LINES; i++) {
        const packet = packetOf(['soak.datagram:1|m'])
        await new Promise((resolve) => socket.send(packet, port, host, resolve))
        ledger.add('soak.datagram', 1)
      }
    })
    await pause(STEP_MS, signal)
  }
  socket.close()
}

/** Goes on while threads end. What it wrote last before each end may be lost, and no more. */
export const recklessSender: Client = async ({ target, ledger }, signal) => {
  while (!signal.aborted) {
    const socket = await open(target.text)
    const written: number[] = []
    while (!signal.aborted && !socket.destroyed) {
      await write(socket, packetOf(['soak.reckless:1|m', `soak.command:2|m|@${SAMPLED_RATE}`]))
      ledger.add('soak.reckless', 1)
      ledger.add('soak.command', 1)
      written.push(performance.now())
      if (written.length > UNREAD_MS) written.shift()
      await pause(STEP_MS, signal)
    }
    if (socket.destroyed) {
      const sinceMs = performance.now() - UNREAD_MS
      ledger.add('reckless unread', written.filter((atMs) => atMs >= sinceMs).length)
      ledger.add('reckless resets', 1)
    } else await end(socket)
  }
}
