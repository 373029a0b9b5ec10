/**
 * Seconds of series as a hub closes them, made from a seed: services (counters most of all),
 * machines (gauges of all makes) and distributions (histograms of whole microseconds, summaries).
 */
import { addToSummary, EMPTY_SUMMARY, Histogram, type Summary } from '../../src/model/index.ts'

export type Mix = 'services' | 'machines' | 'distributions'

export interface Flat {
  readonly kind: 'counter' | 'gauge'
  /** Increase or value of each second. */
  readonly values: Float64Array
}

export interface Distribution<K extends 'histogram' | 'summary', C> {
  readonly kind: K
  /** Cells by second; undefined where nothing was observed. */
  readonly cells: readonly (C | undefined)[]
}

export type MadeSeries =
  | Flat
  | Distribution<'histogram', Histogram>
  | Distribution<'summary', Summary>

type Random = () => number

/** Draws numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = Math.imul(seed + 1, 0x9e37_79b1)
  return () => {
    state = (state + 0x6d2b_79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function poisson(mean: number, random: Random): number {
  if (mean > 40) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)))
  let count = 0
  for (let p = Math.exp(-mean), product = random(); product > p; count++) product *= random()
  return count
}

type Make = (random: Random, size: number) => (second: number) => number

/** A slow wave around 1, of some minutes to an hour. */
function wave(random: Random): (second: number) => number {
  const [period, phase] = [300 + random() * 3000, random() * 6.3]
  return (second) => 1 + 0.4 * Math.sin(phase + (second / period) * 6.283)
}

function decimals(digits: number): Make {
  return (random, size) => {
    const [home, keep, around] = [5 * 20 ** size, 0.6 + 0.38 * random(), wave(random)]
    let off = 0
    return (second) => {
      off = keep * off + home * 0.1 * (1 - keep) * normal(random)
      return Math.round(Math.abs(home * around(second) + off) * 10 ** digits) / 10 ** digits
    }
  }
}

const MAKES = {
  idle: (random) => {
    let burst = 0
    return () => {
      if (burst-- > 0) return poisson(3, random)
      if (random() < 0.003) burst = 5 + random() * 55
      return 0
    }
  },
  small: (random, size) => {
    const [mean, around] = [0.3 * 60 ** size, wave(random)]
    let burst = 0
    return (second) => {
      if (random() < 0.004) burst = 10 + random() * 40
      return poisson(mean * around(second) * (burst-- > 0 ? 3 : 1), random)
    }
  },
  busy: (random, size) => {
    const [mean, around] = [100 * 50 ** size, wave(random)]
    let drift = 0
    return (second) => {
      drift = 0.98 * drift + 0.02 * normal(random)
      return poisson(mean * around(second) * Math.exp(drift), random)
    }
  },
  bytes: (random, size) => {
    const [mean, around] = [2 * 30 ** size, wave(random)]
    return (second) => {
      let sum = 0
      for (let k = poisson(mean * around(second), random); k > 0; k--) {
        sum += 200 + Math.floor(Math.exp(7 + 1.2 * normal(random)))
      }
      return sum
    }
  },
  level: (random, size) => {
    const home = Math.floor(4 * 50 ** size)
    let value = home
    return () => {
      if (random() < 0.35) {
        const isDown = random() < 0.5 + (value - home) / (home + 8) / 2
        value = Math.max(0, value + (isDown ? -1 : 1) * (random() < 0.1 ? 3 : 1))
      }
      return value
    }
  },
  pages: (random, size) => {
    let value = Math.floor((5e7 * 40 ** size) / 4096)
    return () => {
      value += Math.floor(random() * 60)
      if (random() < 0.02) value = Math.floor(value * 0.8)
      return value * 4096
    }
  },
  tenths: decimals(1),
  hundredths: decimals(2),
  thousandths: decimals(3),
  noise: (random, size) => {
    const [home, around] = [0.1 * 1000 ** size, wave(random)]
    let off = 0
    return (second) => {
      off = 0.9 * off + home * 0.02 * normal(random)
      return home * around(second) + off
    }
  },
  ratio: (random, size) => {
    const [mean, share] = [5 * 40 ** size, 0.7 + 0.29 * random()]
    return () => {
      const all = poisson(mean, random)
      let hits = 0
      for (let i = 0; i < all; i++) if (random() < share) hits++
      return all === 0 ? 1 : hits / all
    }
  },
  rest: (random) => {
    let value = random() < 0.5 ? Math.floor(random() * 1e6) : Math.round(random() * 1e4) / 100
    return () => {
      if (random() < 0.0008) value = Math.floor(random() * 1000)
      return value
    }
  },
} satisfies Record<string, Make>

const COUNTERS: ReadonlySet<string> = new Set(['idle', 'small', 'busy', 'bytes'])

/** Series of each make, of a hundred. */
const SHARES: Record<'services' | 'machines', Partial<Record<keyof typeof MAKES, number>>> = {
  services: {
    ...{ idle: 25, small: 30, busy: 10, bytes: 5, level: 10 },
    ...{ tenths: 3, hundredths: 4, thousandths: 3, rest: 10 },
  },
  machines: {
    ...{ idle: 10, busy: 10, bytes: 10, level: 15, pages: 10, tenths: 10, hundredths: 10 },
    ...{ thousandths: 5, noise: 10, ratio: 3, rest: 7 },
  },
}

/** Makes a series of a mix, so many seconds of it. */
export function seriesOf(mix: Mix, index: number, seconds: number): MadeSeries {
  const random = randomOf(index * 7919 + mix.length)
  if (mix === 'distributions') return distributionOf(index, seconds, random)
  let place = (index * 37) % 100
  const shares = Object.entries(SHARES[mix])
  const [name] = shares.find(([, share]) => {
    place -= share
    return place < 0
  })!
  const next = MAKES[name as keyof typeof MAKES](random, random())
  const values = Float64Array.from({ length: seconds }, (_, second) => next(second))
  return { kind: COUNTERS.has(name) ? 'counter' : 'gauge', values }
}

/** Latencies of 3 to 3,000 requests a second, with spells of silence. */
function distributionOf(index: number, seconds: number, random: Random): MadeSeries {
  const scale = [3, 3, 2, 4, 3, 1][index % 6]!
  const rate = 3 * 1000 ** (random() * random())
  const [middle, spread] = [4 + 5 * random(), 0.2 + 0.7 * random()]
  let [silent, drift] = [0, 0]
  const observations = Array.from({ length: seconds }, () => {
    if (silent-- <= 0 && random() < 0.0015) silent = 20 + random() * 200
    drift = 0.995 * drift + 0.01 * normal(random)
    const count = silent > 0 ? 0 : poisson(rate, random)
    return Array.from({ length: count }, () => {
      return Math.max(1, Math.round(Math.exp(middle + drift + spread * normal(random))))
    })
  })
  if (index % 4 === 3) {
    const cells = observations.map((values) => {
      return values.length === 0 ? undefined : values.reduce(addToSummary, EMPTY_SUMMARY)
    })
    return { kind: 'summary', cells }
  }
  const cells = observations.map((values) => {
    const histogram = new Histogram(scale)
    for (const value of values) histogram.record(value)
    return values.length === 0 ? undefined : histogram
  })
  return { kind: 'histogram', cells }
}
