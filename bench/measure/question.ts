/**
 * A question of the bench and its answer. Absolute figures of a shared machine mean little, so
 * every contender is measured in the same run, round by round in turn, and the answer is a ratio
 * that is judged. What is not judged is a figure: there are no ratios that only inform.
 */
import type { Conditions, Machine } from './machine.ts'
import { pairedRatios, type Spread, spreadOf } from './statistics.ts'

/** What is known of a question before it is measured. */
export interface Facts {
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
}

export interface Question extends Facts {
  measure(): Promise<Answer>
}

export interface Answer {
  readonly warmUps: number
  readonly rounds: number
  readonly figures: readonly Figure[]
  readonly verdicts: readonly Verdict[]
  readonly skipped: readonly Skipped[]
  /** Sentences that say to a user what the figures are worth. */
  readonly means?: readonly string[]
}

/** A question with its answer, and where and when that was given. */
export interface Result extends Facts, Answer {
  /** ISO 8601. */
  readonly date: string
  readonly machine: Machine
  readonly conditions: Conditions
}

export interface Figure extends Spread {
  readonly title: string
  /** Where it is not the question's. */
  readonly unit?: string
}

/** A ratio, or a figure with a limit of its own, and whether it is as wanted. */
export interface Verdict extends Figure {
  readonly wanted: Wanted
  readonly result: 'reached' | 'missed' | 'void'
  /** Why this run can't tell, where it is void. */
  readonly reason?: string
}

/** Something is wanted at least, or at most, this large. */
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

/** Judges the ratios of the same rounds. */
export function ratioOf(over: Rounds, under: Rounds, wanted: Wanted): Verdict {
  const title = `${over.title} / ${under.title}`
  return judge({ title, ...spreadOf(pairedRatios(over.figures, under.figures)), unit: '' }, wanted)
}

/** Judges figures by themselves, in their own unit. */
export function limitOf(rounds: Rounds, wanted: Wanted): Verdict {
  return judge(figureOf(rounds), wanted)
}

/** A verdict that this run can't give. */
export function voided(verdict: Verdict, reason: string): Verdict {
  return { ...verdict, result: 'void', reason }
}

function judge(figure: Figure, wanted: Wanted): Verdict {
  const { bound, value } = wanted
  const isReached = bound === 'at least' ? figure.median >= value : figure.median <= value
  return { ...figure, wanted, result: isReached ? 'reached' : 'missed' }
}
