/**
 * The module that takes usual frames, beside JavaScript alone: whatever comes, both take the same
 * windows to the same totals, views, notes, errors and offsets.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { holds } from '../../../../../test/support/property.ts'
import { encodeConnect, encodeJoin } from '../../codec/encode.ts'
import { metricsBytes } from '../../test/frames.ts'
import { TwinHub } from '../../test/twin-hubs.ts'
import { UsualFramesModule } from './usual-frames.ts'

const VECTORS = new URL('../../vectors/wallaroo.json', import.meta.url)
const APPLICATION = 'golden-app'
const U64_MAX = (1n << 64n) - 1n
/** Frames for which JavaScript had to make blocks of windows. */
const BLOCKS_SHORT = 20
const NS_PER_MS = 1_000_000n

interface Options {
  readonly windowBytesLimit?: number
  readonly seriesLimit?: number
  readonly maxFrameBytes?: number
}

/** The two, under one clock. */
class Twins {
  readonly clock = new FakeClock()
  readonly #both: readonly TwinHub[]

  constructor(options: Options = {}) {
    const { clock } = this
    this.#both = [true, false].map((hasModule) => new TwinHub({ ...options, clock, hasModule }))
  }

  /** Frames that JavaScript has judged where the module could take them. */
  get slow(): number {
    return this.#both[0]!.slow
  }

  each(use: (hub: TwinHub) => void): void {
    for (const hub of this.#both) use(hub)
  }

  check(): void {
    const [ours, expected] = this.#both.map((hub) => hub.told().split('\n'))
    const differing = ours!.findIndex((line, i) => line !== expected![i])
    // the lines before say what it is
    const part = (lines: readonly string[]) =>
      lines.slice(Math.max(differing - 12, 0), differing + 3)
    if (differing >= 0) assert.deepEqual(part(ours!), part(expected!))
    assert.equal(ours!.length, expected!.length)
  }
}

const GREETING = Buffer.concat([encodeConnect(), encodeJoin(APPLICATION, 'w')])

function endNs(clock: FakeClock, ageMs: number): string {
  const now = BigInt(Math.round(clock.wallMs()))
  const endMs = now - (now % 2000n) - BigInt(ageMs)
  return `${(endMs > 0n ? endMs : 0n) * NS_PER_MS}`
}

/** Extremes that agree with bins, as the recorder has them. */
function extremesOf(bins: Readonly<Record<string, string>>) {
  const filled = Object.keys(bins).map(Number)
  if (filled.length === 0) return {}
  const [lowest, highest] = [Math.min(...filled), Math.max(...filled)]
  const least = lowest === 0 ? 0n : (1n << BigInt(lowest - 1)) + 1n
  return { min_ns: `${least}`, max_ns: `${highest === 64 ? U64_MAX : 1n << BigInt(highest)}` }
}

/** Windows of some series in one order, as a worker sends them. */
function round(clock: FakeClock, series: number): Buffer {
  const frames = Array.from({ length: series }, (_, i) => {
    const bins = { [8 + (i % 9)]: `${1 + i}`, [19 + (i % 5)]: '7' }
    const end_ns = endNs(clock, 0)
    return metricsBytes({ worker: 'w', name: `N${i}`, bins, ...extremesOf(bins), end_ns })
  })
  return Buffer.concat(frames)
}

const name = fc.constantFrom('a', 'b', 'c', 'a longer name of a computation', 'n'.repeat(400), 'ü')
const count = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt({ min: 1n, max: 1000n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 1n, max: (1n << 32n) - 1n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 1n, max: U64_MAX }) },
)
const bins = fc.dictionary(
  fc
    .oneof(
      { weight: 20, arbitrary: fc.nat({ max: 63 }) },
      { weight: 1, arbitrary: fc.constant(64) },
    )
    .map(String),
  count.map(String),
  { maxKeys: 8 },
)
const extreme = fc.oneof(
  fc.bigInt({ min: 0n, max: U64_MAX }),
  fc.nat({ max: 63 }).map((k) => 1n << BigInt(k)),
)
const frame = fc.record({
  name,
  worker: fc.constantFrom('w', 'w', 'v', 'u'),
  category: fc.constantFrom('computation', 'computation', 'start-to-end', 'strange'),
  application: fc.constantFrom(APPLICATION, APPLICATION, APPLICATION, 'other'),
  id: fc.constantFrom(1, 1, 1, 2),
  bins,
  extremes: fc.oneof(
    { weight: 8, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.record({ min: extreme, max: extreme }) },
  ),
  profile: fc.constantFrom('peer', 'peer', 'peer', 'document'),
  ageMs: fc.constantFrom(0, 0, 0, 0, 2000, 4000, 50_000, 90_000, 200_000, -2000, -100_000),
  periodMs: fc.constantFrom(2000, 2000, 2000, 0, 70_000, 200_000),
  repeat: fc.integer({ min: 1, max: 5 }),
  mutation: fc.option(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { freq: 12 }),
})
type Frame = typeof frame extends fc.Arbitrary<infer T> ? T : never

function bytesOf(clock: FakeClock, made: Frame): Buffer {
  const { extremes, profile, ageMs, periodMs, repeat, mutation, ...fields } = made
  const known = extremes && { min_ns: `${extremes.min}`, max_ns: `${extremes.max}` }
  const window = {
    ...fields,
    ...(known ?? extremesOf(fields.bins)),
    end_ns: endNs(clock, ageMs),
    period_ns: `${BigInt(periodMs) * NS_PER_MS}`,
  }
  const bytes = Buffer.from(metricsBytes(window, profile as 'peer' | 'document'))
  if (mutation !== null) bytes[mutation[0] % bytes.length] = mutation[1]
  return Buffer.concat(Array.from({ length: repeat }, () => bytes))
}

const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      connection: fc.nat({ max: 1 }),
      frames: fc.array(frame, { minLength: 1, maxLength: 6 }),
      cuts: fc.array(fc.nat({ max: 4000 }), { maxLength: 4 }),
      isInPlace: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ advanceMs: fc.constantFrom(100, 2000, 61_000, 130_000) }) },
  { weight: 1, arbitrary: fc.record({ setWallMs: fc.constantFrom(-10_000, 10_000) }) },
  { weight: 1, arbitrary: fc.record({ reopen: fc.nat({ max: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ greet: fc.nat({ max: 1 }) }) },
  { weight: 2, arbitrary: fc.constant({ tick: true }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length]
  return at
    .slice(1)
    .map((end, i) => bytes.subarray(at[i], end))
    .filter(({ length }) => length > 0)
}

function run(twins: Twins, steps: readonly Step[]): void {
  const { clock } = twins
  const open = [0, 1]
  for (const _ of open) twins.each((hub) => hub.open())
  for (const number of open) twins.each((hub) => hub.read(number, GREETING))
  for (const each of steps) {
    if ('frames' in each) {
      const bytes = Buffer.concat(each.frames.map((made) => bytesOf(clock, made)))
      for (const piece of pieces(bytes, each.cuts)) {
        twins.each((hub) => hub.read(open[each.connection]!, piece, each.isInPlace))
      }
    } else if ('advanceMs' in each) clock.advance(each.advanceMs)
    else if ('setWallMs' in each) clock.setWall(each.setWallMs)
    else if ('greet' in each) twins.each((hub) => hub.read(open[each.greet]!, GREETING))
    else if ('reopen' in each) {
      let number = 0
      twins.each((hub) => {
        hub.end(open[each.reopen]!)
        number = hub.open()
      })
      open[each.reopen] = number
    } else {
      twins.each((hub) => hub.tick())
      twins.check()
    }
  }
  twins.each((hub) => hub.tick())
  twins.check()
}

/** Bins of a window that is usual but for its extremes, which may be any. */
const usualWindow = fc.record({
  series: fc.nat({ max: 3 }),
  bins: fc.dictionary(
    fc.nat({ max: 62 }).map(String),
    fc.oneof(
      fc.constant('1'),
      fc.nat({ max: 1000 }).map((n) => `${n + 1}`),
    ),
    { maxKeys: 12 },
  ),
  /** Places of the extremes between the bounds of their bins, in eighths. */
  places: fc.tuple(fc.nat({ max: 8 }), fc.nat({ max: 8 })) as fc.Arbitrary<
    readonly [number, number]
  >,
  isOff: fc.nat({ max: 9 }).map((n) => n === 0),
  ageMs: fc.constantFrom(0, 0, 0, 2000),
})
type UsualWindow = typeof usualWindow extends fc.Arbitrary<infer T> ? T : never

const usualWindows = fc.array(usualWindow, { minLength: 1, maxLength: 30 })
const FIRST = { bins: {}, places: [0, 0], isOff: false, ageMs: 2000 } as const

function usualBytes(
  clock: FakeClock,
  made: Readonly<UsualWindow>,
  profile: 'peer' | 'document',
): Uint8Array {
  const { series, places, isOff, ageMs } = made
  const filled = Object.keys(made.bins).map(Number)
  const within = (bin: number, eighths: number): bigint => {
    const low = bin === 0 ? 0n : 1n << BigInt(bin - 1)
    return low + (((1n << BigInt(bin)) - low) * BigInt(eighths)) / 8n
  }
  const known = {
    min_ns: `${within(Math.min(...filled, 64), places[0]) * (isOff ? 2n : 1n)}`,
    max_ns: `${within(Math.max(...filled, 0), places[1])}`,
  }
  const fields = {
    ...{ worker: 'w', name: `N${series}`, bins: made.bins, end_ns: endNs(clock, ageMs) },
    ...(filled.length === 0 ? {} : known),
  }
  return metricsBytes(fields, profile)
}

describe('usual frames', () => {
  it('can be taken by the module here', () => {
    assert.ok(UsualFramesModule.open())
  })

  it('come to the same by the module and by JavaScript, whatever comes between', () => {
    holds(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => run(new Twins(), steps)),
      100,
    )
  })

  it('… and go past JavaScript, whatever their counts and extremes', () => {
    holds(
      fc.property(usualWindows, fc.constantFrom('peer', 'document'), (windows, profile) => {
        const twins = new Twins()
        const { clock } = twins
        const bytes = Buffer.concat([
          GREETING,
          // each series with an end that none of its windows is before
          ...[0, 1, 2, 3].map((series) => usualBytes(clock, { ...FIRST, series }, profile)),
          ...windows.map((each) => usualBytes(clock, each, profile)),
        ])
        twins.each((hub) => hub.read(hub.open(), bytes))
        assert.ok(twins.slow <= 4 + 1, `${twins.slow} of ${windows.length}`)
        twins.each((hub) => hub.tick())
        twins.check()
      }),
      200,
    )
  })

  // of the smaller one usual frames have less and more
  for (const maxFrameBytes of [2048, 645]) {
    it(`… under limits of windows, series and frames, of ${maxFrameBytes} bytes`, () => {
      const limits = { windowBytesLimit: 8192, seriesLimit: 5, maxFrameBytes }
      holds(
        fc.property(fc.array(step, { maxLength: 30 }), (steps) => run(new Twins(limits), steps)),
        60,
      )
    })
  }

  it('… of the vectors, each twice, between usual ones', () => {
    const { cases } = JSON.parse(readFileSync(VECTORS, 'utf8')) as {
      readonly cases: readonly { readonly hex?: string; readonly writes?: readonly string[] }[]
    }
    const streams = cases.map(({ hex, writes }) => hex ?? writes?.join('') ?? '')
    for (const stream of streams.filter((text) => text !== '' && text.length < 200_000)) {
      const twins = new Twins()
      const { clock } = twins
      const bytes = Buffer.from(stream, 'hex')
      twins.each((hub) => hub.read(hub.open(), Buffer.concat([GREETING, round(clock, 2)])))
      for (let i = 0; i < 2; i++) {
        twins.each((hub) => hub.read(0, Buffer.concat([bytes, round(clock, 2)])))
      }
      twins.each((hub) => {
        hub.end(0)
        hub.tick()
      })
      twins.check()
    }
  })

  it('are the same wherever a read has cut them', () => {
    const twins = new Twins()
    const { clock } = twins
    twins.each((hub) => hub.read(hub.open(), GREETING))
    const stream = round(clock, 3)
    twins.each((hub) => hub.read(0, Buffer.concat([stream, stream])))
    const { slow } = twins
    for (let cut = 1; cut < stream.length; cut++) {
      for (const piece of [stream.subarray(0, cut), stream.subarray(cut)]) {
        twins.each((hub) => hub.read(0, piece, cut % 2 === 0))
      }
    }
    for (let at = 0; at < stream.length; at++) {
      twins.each((hub) => hub.read(0, stream.subarray(at, at + 1)))
    }
    assert.ok(twins.slow - slow <= BLOCKS_SHORT, `${twins.slow - slow} frames`)
    twins.check()
  })

  it('go past JavaScript in any order and with every period', () => {
    const twins = new Twins()
    const { clock } = twins
    twins.each((hub) => hub.read(hub.open(), GREETING))
    const frames = (): Buffer[] => {
      const whole = round(clock, 100)
      const size = (at: number): number => whole.readUInt32BE(at) + 4
      const cut: Buffer[] = []
      for (let at = 0; at < whole.length; at += size(at))
        cut.push(whole.subarray(at, at + size(at)))
      return cut
    }
    twins.each((hub) => hub.read(0, Buffer.concat(frames())))
    assert.equal(twins.slow, 100)
    for (let period = 1; period <= 50; period++) {
      clock.advance(2000)
      const shuffled = frames().sort(
        (a, b) => ((a[120]! * 31 * period) % 17) - ((b[120]! * 37) % 17),
      )
      const half = Buffer.concat(shuffled)
      twins.each((hub) => {
        hub.read(0, half)
        hub.read(0, half)
        hub.tick()
      })
    }
    // the first of each period says something new of the worker's clock
    assert.ok(twins.slow >= 150 && twins.slow <= 150 + BLOCKS_SHORT, `${twins.slow} frames`)
    twins.check()
  })

  it('of a series that has gone are those of a new one', () => {
    const twins = new Twins()
    const { clock } = twins
    twins.each((hub) => hub.read(hub.open(), GREETING))
    for (let i = 0; i < 3; i++) {
      const stream = round(clock, 20)
      twins.each((hub) => hub.read(i, Buffer.concat([stream, stream])))
      twins.each((hub) => hub.tick())
      twins.each((hub) => hub.end(i))
      clock.advance(200_000)
      twins.each((hub) => hub.tick())
      twins.check()
      twins.each((hub) => hub.read(hub.open(), GREETING))
    }
  })
})
