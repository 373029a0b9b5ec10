/**
 * Scope's part in the demo: an invented machine, two motors, two axes and a spindle, that the hub
 * reads fifty times a second as a viewer would, and a viewer of the hub. Its values are functions
 * of time, read when a viewer wants them.
 */
import { addressText } from '../../../model/text/address.ts'
import type { Clock } from '../../../time/clock.ts'
import type { Demo } from '../../command-line.ts'
import { ScopeClient } from '../client.ts'
import { CallbackSource } from '../server/callback-source.ts'
import { ScopeServer } from '../server.ts'

/** Interval that the viewer asks of the hub, ms. */
const VIEWER_INTERVAL_MS = 100
const NS_PER_S = 1e9

export const demo: Demo = {
  description:
    'The hub reads a machine fifty times a second as a scope viewer would, and a scope viewer is ' +
    'attached to the hub.',
  async prepare({ clock }) {
    const server = new ScopeServer({ source: machineOf(clock), port: 0 })
    await server.start()
    return { attach: [`scope://127.0.0.1:${server.port}?interval=20ms`], end: () => server.close() }
  },
  /** Watches the hub as the original viewer does, and throws away what it sees. */
  start({ clock, addresses: { stream }, log }) {
    if (stream === undefined) return async () => {}
    const { host, port } = stream
    const viewer = new ScopeClient({ host, port, samplingIntervalMs: VIEWER_INTERVAL_MS, clock })
    void viewer.start()
    log('a scope viewer is attached', { to: addressText(host, port) })
    return () => viewer.close()
  },
}

/** Makes the machine: a motor that stalls now and then takes the current, and the bus pays. */
function machineOf(clock: Clock): CallbackSource {
  const startNs = clock.monotonicNs()
  const nowS = (): number => Number(clock.monotonicNs() - startNs) / NS_PER_S
  const values = new CallbackSource()
  const add = (name: string, hints: Hints, read: (seconds: number) => number): void => {
    values.add(name, () => read(nowS()), hints)
  }
  add('motor1.current', { plot: 'current', unit: 'A' }, (s) => {
    return 8.4 + 0.8 * Math.sin(s / 1.7) + 13.5 * stallAt(s) + hum(s, 1)
  })
  add('motor2.current', { plot: 'current', unit: 'A' }, (s) => {
    return 6 + 0.5 * Math.sin(s / 2.3) - 1.5 * stallAt(s - 0.15) + hum(s, 2)
  })
  add('bus.voltage', { plot: 'bus', unit: 'V', color: '#ed5897' }, (s) => {
    return 47.95 - 2.6 * stallAt(s) + 0.12 * hum(s, 3)
  })
  add('axis1.position', { plot: 'motion', unit: 'mm' }, (s) => {
    return 150 * Math.sin(0.8 * s) + 30 * Math.sin(2.9 * s)
  })
  add('axis2.position', { plot: 'motion', unit: 'mm' }, (s) => {
    return 140 * Math.cos(0.8 * s + 0.6) - 25 * Math.sin(2.1 * s)
  })
  add('spindle.rms', { plot: 'vibration', unit: 'g', color: 'orange' }, (s) => {
    return 0.37 + 0.05 * Math.sin(12.3 * s) + 0.9 * stallAt(s - 0.1) + 0.03 * hum(s, 4)
  })
  return values
}

type Hints = Parameters<CallbackSource['add']>[2]

const STALL_EVERY_S = 17
const STALL_S = 1.1

/** Gives the strength of a stall, 0 to 1: what a trigger is for. */
function stallAt(seconds: number): number {
  const place = (seconds + STALL_EVERY_S / 2) % STALL_EVERY_S
  return place < STALL_S ? Math.sin((place / STALL_S) * Math.PI) ** 2 : 0
}

/** Gives what is never quite still, about -0.5 to 0.5: sines that have no common period. */
function hum(seconds: number, place: number): number {
  const turn = seconds * (41 + 7 * place)
  return 0.25 * Math.sin(turn) + 0.15 * Math.sin(turn * 1.618) + 0.1 * Math.sin(turn * 2.7)
}
