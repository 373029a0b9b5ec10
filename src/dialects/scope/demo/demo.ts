/**
 * Scope's part in the demo: an invented measuring station, two motors and a tank, that the hub
 * reads as a viewer would, and a viewer of the hub. Values of the station are functions of time,
 * read when a viewer wants them.
 */
import type { Clock } from '../../../time/clock.ts'
import type { Demo } from '../../command-line.ts'
import { ScopeClient } from '../client.ts'
import { CallbackSource } from '../server/callback-source.ts'
import { ScopeServer } from '../server.ts'

const MOTORS = ['motor1', 'motor2'] as const
/** Interval that the viewer asks of the hub, ms. */
const VIEWER_INTERVAL_MS = 100
const NS_PER_S = 1e9

export const demo: Demo = {
  description:
    'The hub reads a measuring station as a scope viewer would, and a scope viewer is attached ' +
    'to the hub.',
  async prepare({ clock }) {
    const server = new ScopeServer({ source: stationOf(clock), port: 0 })
    await server.start()
    return { attach: [`scope://127.0.0.1:${server.port}`], end: () => server.close() }
  },
  /** Watches the hub as the original viewer does, and throws away what it sees. */
  start({ clock, addresses: { stream }, log }) {
    if (stream === undefined) return async () => {}
    const { host, port } = stream
    const viewer = new ScopeClient({ host, port, samplingIntervalMs: VIEWER_INTERVAL_MS, clock })
    void viewer.start()
    log('a scope viewer is attached', { to: `${host}:${port}` })
    return () => viewer.close()
  },
}

function stationOf(clock: Clock): CallbackSource {
  const startNs = clock.monotonicNs()
  const nowS = (): number => Number(clock.monotonicNs() - startNs) / NS_PER_S
  const values = new CallbackSource()
  MOTORS.forEach((motor, i) => {
    const phase = i * 2.1
    values.add(`${motor}.current`, () => 8 + 3 * Math.sin(nowS() / 3 + phase) + ripple(nowS(), i), {
      plot: 'current',
      unit: 'A',
    })
    values.add(`${motor}.temperature`, () => 55 + 9 * Math.sin(nowS() / 40 + phase), {
      plot: 'temperature',
      unit: '°C',
    })
  })
  values.add('tank.level', () => 50 + 30 * Math.sin(nowS() / 25), { color: 'cyan', unit: '%' })
  return values
}

/** Adds a short spike every seven seconds: what a scope is for. */
function ripple(seconds: number, motor: number): number {
  const place = (seconds + 3.5 * motor) % 7
  return place < 0.3 ? 6 * (1 - place / 0.3) : 0.2 * Math.sin(seconds * 11)
}
