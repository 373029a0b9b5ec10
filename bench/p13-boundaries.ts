/** P13: what it costs to close, spell and hand out the windows of many counters and sessions. */
import { strict as assert } from 'node:assert'
import { boundaryText } from '../src/dialects/eventcounters/codec/line.ts'
import { type PayloadObject, toPayload } from '../src/dialects/eventcounters/codec/payload.ts'
import type { Boundary } from '../src/dialects/eventcounters/server/counter-source.ts'
import type { CounterWindow } from '../src/dialects/eventcounters/window.ts'
import { CounterRegistry, EventCounter, EventSource } from '../src/instrument/index.ts'
import { FakeClock } from '../test/support/fake-clock.ts'
import { processorSeconds } from './measure/own-cpu.ts'
import { atMost, type Contender, figureOf, interleave, ratioOf } from './measure/question.ts'
import { ask } from './measure/run.ts'

const WARM_UPS = 2
const ROUNDS = 9
const COUNTERS = 1000
const SESSIONS = 50
const INTERVAL_MS = 1000
const PAYLOADS = COUNTERS * SESSIONS
/** Between the boundaries of two sessions, where they are not in step. */
const APART_MS = INTERVAL_MS / SESSIONS
/** Samples of each counter in one interval. */
const SAMPLES = SESSIONS

/** An application with all its sessions on a clock that is moved from boundary to boundary. */
class Watched {
  readonly clock = new FakeClock()
  windows = 0
  bytes = 0
  /** Where what the sessions are told is kept, if anywhere. */
  kept: Boundary[] | undefined
  readonly #counters: readonly EventCounter[]
  readonly #isInStep: boolean
  #written = 0

  /**
   * @param isInStep whether all sessions were opened at one moment, and so have their boundaries
   *   together; otherwise every one has its own, with samples before and after
   */
  constructor(isInStep: boolean, spell: (boundary: Boundary) => number) {
    this.#isInStep = isInStep
    const limits = { sessions: SESSIONS }
    const registry = new CounterRegistry({ clock: this.clock, limits })
    const source = new EventSource('Bench', { registry })
    this.#counters = Array.from({ length: COUNTERS }, (_, i) => {
      const metaData = { route: `/route/${i}`, status: '200' }
      return new EventCounter(`request-time-${i}`, source, { displayUnits: 'ms', metaData })
    })
    for (let i = 0; i < SESSIONS; i++) {
      registry.open({ intervalMs: INTERVAL_MS, deliver: 'own' }, (boundary) => {
        this.windows += boundary.windows.length
        this.bytes += spell(boundary)
        this.kept?.push(boundary)
      })
      if (!isInStep) this.clock.advance(APART_MS)
    }
  }

  round(title: string): Contender {
    return { title: `pentameter, ${title}`, round: () => this.interval() }
  }

  /** One boundary of every session, in nanoseconds per payload; writing is not counted. */
  interval(): number {
    const times = this.#isInStep ? 1 : SESSIONS
    let ns = 0
    for (let i = 0; i < times; i++) {
      this.#write(SAMPLES / times)
      ns += cost(() => this.clock.advance(INTERVAL_MS / times))
    }
    return ns
  }

  #write(samples: number): void {
    for (const [i, counter] of this.#counters.entries()) {
      for (let k = 0; k < samples; k++) {
        counter.writeMetric(1 + ((i * 7919 + (this.#written + k) * 104_729) % 997) / 8)
      }
    }
    this.#written += samples
  }
}

await ask({
  name: 'P13',
  asks: 'What does one boundary cost, per payload, when 50 sessions watch 1,000 counters?',
  data: `${COUNTERS} EventCounters with pairs, ${SAMPLES} samples each; ${SESSIONS} sessions, 1 s`,
  method: [
    'processor time of the boundaries of all sessions in one interval, divided by their payloads',
    'windows: closed and handed to a function; lines: also spelled as the endpoint sends them, and',
    'counted as bytes; in step: all sessions were opened at one moment and are told the same;',
    'apart: 20 ms after each other, with samples between, so that no two are told the same',
    'rival: JSON.stringify of the same events as plain objects, made beforehand, and their bytes',
  ],
  unit: 'ns per payload',

  async measure() {
    const spell = (boundary: Boundary) => Buffer.byteLength(boundaryText(boundary, 'document'))
    const together = new Watched(true, () => 0)
    const togetherSpelled = new Watched(true, spell)
    const apart = new Watched(false, () => 0)
    const apartSpelled = new Watched(false, spell)
    const contenders = [
      together.round('windows in step'),
      togetherSpelled.round('lines in step'),
      stringify('in step', events(together, 1)),
      apart.round('windows apart'),
      apartSpelled.round('lines apart'),
      stringify('apart', events(apart, 2)),
    ]
    const rounds = await interleave(contenders, WARM_UPS, ROUNDS)
    for (const { windows } of [together, togetherSpelled]) assert.equal(windows % PAYLOADS, 0)
    for (const { windows } of [apart, apartSpelled]) assert.equal(windows % COUNTERS, 0)
    for (const { bytes, windows } of [togetherSpelled, apartSpelled]) {
      assert.ok(bytes / windows > 200, 'payloads were spelled')
    }
    const [windows, lines, rival, windowsApart, linesApart, rivalApart] = rounds
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: rounds.map(figureOf),
      verdicts: [
        ratioOf(windows!, rival!, atMost(1)),
        ratioOf(lines!, rival!, atMost(1)),
        ratioOf(windowsApart!, rivalApart!, atMost(3)),
        ratioOf(linesApart!, rivalApart!, atMost(3)),
      ],
      skipped: [],
    }
  },
})

interface Event {
  readonly event: 'EventCounters'
  readonly provider: string
  readonly time: string
  readonly Payload: PayloadObject
}

/** What so many of the sessions are told in one interval. */
function events(watched: Watched, sessions: number): Event[][] {
  const kept: Boundary[] = []
  watched.kept = kept
  watched.interval()
  watched.kept = undefined
  return kept.slice(0, sessions).map(({ timeMs, windows }) => {
    const time = new Date(timeMs).toISOString()
    return windows.map((window) => eventOf(window, time))
  })
}

function eventOf(window: CounterWindow, time: string): Event {
  const Payload = toPayload(window, 'document')
  return { event: 'EventCounters', provider: window.counter.provider, time, Payload }
}

function stringify(title: string, told: readonly (readonly Event[])[]): Contender {
  const repeats = PAYLOADS / told.flat().length
  assert.ok(Number.isInteger(repeats))
  return {
    title: `JSON.stringify, ${title}`,
    round: () =>
      cost(() => {
        let bytes = 0
        for (let i = 0; i < repeats; i++) for (const events of told) bytes += spelled(events)
        assert.ok(bytes > PAYLOADS)
      }),
  }
}

function spelled(events: readonly Event[]): number {
  let text = ''
  for (const event of events) text += `${JSON.stringify(event)}\n`
  return Buffer.byteLength(text)
}

function cost(work: () => void): number {
  return (processorSeconds(work) * 1e9) / PAYLOADS
}
