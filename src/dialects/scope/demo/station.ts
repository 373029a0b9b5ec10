/**
 * An invented measuring station: two motors and a tank, offered to scope viewers as a program that
 * embeds the exporter would. Values are functions of time, read when a viewer wants them.
 */
import { CallbackSource } from '../server/callback-source.ts'
import { ScopeServer } from '../server.ts'

const MOTORS = ['motor1', 'motor2'] as const

export interface Station {
  readonly port: number
  stop(): Promise<void>
}

/** @param nowS seconds on any clock that does not go back */
export async function startStation(host: string, nowS: () => number): Promise<Station> {
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
  const server = new ScopeServer({ source: values, host, port: 0 })
  await server.start()
  return { port: server.port, stop: () => server.close() }
}

/** A short spike every seven seconds: what a scope is for. */
function ripple(seconds: number, motor: number): number {
  const place = (seconds + 3.5 * motor) % 7
  return place < 0.3 ? 6 * (1 - place / 0.3) : 0.2 * Math.sin(seconds * 11)
}
