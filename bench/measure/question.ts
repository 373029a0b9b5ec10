/**
 * A question of the bench and its answer. Absolute figures of a shared machine mean little, so
 * every contender is measured in the same run, round by round in turn, and the answer is a ratio.
 */
import { pairedRatios, type Spread, spreadOf } from './statistics.ts'

export interface Question {
  /** As in the table of wanted ratios: `P1`. */
  readonly name: string
  readonly asks: string
  /** What is sent or encoded, seed included. */
  readonly data: string
  /** How it is measured, line by line. */
  readonly method: readonly string[]
  readonly unit: string
  /** What the reader should know besides: what is not compared, what is left for later. */
  readonly remarks?: readonly string[]
  measure(): Promise<Answer>
}

export interface Answer {
  readonly warmUps: number
  readonly rounds: number
  readonly figures: readonly Figure[]
  readonly ratios: readonly Ratio[]
  readonly skipped: readonly Skipped[]
}

export interface Figure extends Spread {
  readonly title: string
  /** Where it is not the question's. */
  readonly unit?: string
}

export interface Ratio extends Spread {
  readonly title: string
  /** Absent where the ratio only informs. */
  readonly wanted?: Wanted
  readonly isReached?: boolean
}

/** A ratio is wanted at least, or at most, this large. */
export interface Wanted {
  readonly bound: 'at least' | 'at most'
  readonly value: number
}

export function atLeast(value: number): Wanted {
  return { bound: 'at least', value }
}

export function atMost(value: number): Wanted {
  return { bound: 'at most', value }
}

/** A rival that could not take part. */
export interface Skipped {
  readonly title: string
  readonly reason: string
}

/** Someone who takes part in a question. */
export interface Contender {
  readonly title: string
  /** Does the work once and says what it cost or brought, in the question's unit. */
  round(): Promise<number> | number
}

/** Figures of one contender, one per round. */
export interface Rounds {
  readonly title: string
  readonly figures: readonly number[]
  /** Where it is not the question's. */
  readonly unit?: string
}

/** All contenders in turn, round after round; the warm-ups are not counted. */
export async function interleave(
  contenders: readonly Contender[],
  warmUps: number,
  rounds: number,
): Promise<Rounds[]> {
  const results = contenders.map(({ title }) => ({ title, figures: [] as number[] }))
  for (let round = -warmUps; round < rounds; round++) {
    for (const [i, contender] of contenders.entries()) {
      const figure = await contender.round()
      if (round >= 0) results[i]!.figures.push(figure)
    }
  }
  return results
}

export function figureOf({ title, figures, unit }: Rounds): Figure {
  return { title, ...spreadOf(figures), ...(unit === undefined ? {} : { unit }) }
}

export function ratioOf(over: Rounds, under: Rounds, wanted?: Wanted): Ratio {
  const spread = spreadOf(pairedRatios(over.figures, under.figures))
  const title = `${over.title} / ${under.title}`
  if (wanted === undefined) return { title, ...spread }
  const isReached =
    wanted.bound === 'at least' ? spread.median >= wanted.value : spread.median <= wanted.value
  return { title, ...spread, wanted, isReached }
}
