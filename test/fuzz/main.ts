/**
 * npm run fuzz -- [TARGET…] [--seconds N | --runs N] [--seed S [--input I]]
 *
 * Feeds generated and mutated inputs to every target (or those named), after proving on each one's
 * planted bug that the hunt can find something. The same seed gives the same inputs; without one, a
 * new seed is drawn and printed. --seconds (default 30) is shared evenly by the targets, --runs
 * counts inputs per target, --input feeds that one alone. With --sockets a hub in a process of its
 * own is fed instead, through its ports (sockets/main.ts). Exit code: 0, 1 after a failure, 2 for
 * wrong usage.
 */
import { parseArgs } from 'node:util'
import { campaign, type Verdict } from './engine/campaign.ts'
import type { Budget } from './engine/hunt.ts'
import { fuzzSockets } from './sockets/main.ts'
import type { FuzzTarget } from './target.ts'
import { allTargets } from './targets.ts'

const SECONDS = 30
const PROGRESS_MS = 5000

interface Order {
  readonly targets: readonly FuzzTarget[]
  readonly seed: number
  readonly seconds: number
  readonly runs: number | undefined
  readonly input: number | undefined
  readonly isThroughSockets: boolean
}

function readOrder(known: readonly FuzzTarget[]): Order {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string' },
      runs: { type: 'string' },
      seed: { type: 'string' },
      input: { type: 'string' },
      sockets: { type: 'boolean', default: false },
    },
  })
  const unknown = positionals.find((name) => known.every((target) => target.name !== name))
  if (unknown !== undefined) {
    throw new RangeError(`no target ${unknown}; there are ${known.map(({ name }) => name)}`)
  }
  const isChosen = ({ name }: FuzzTarget) => positionals.length === 0 || positionals.includes(name)
  return {
    targets: known.filter(isChosen),
    seed: numberOf('seed', values.seed) ?? Math.floor(Math.random() * 2 ** 32),
    seconds: numberOf('seconds', values.seconds) ?? SECONDS,
    runs: numberOf('runs', values.runs),
    input: numberOf('input', values.input),
    isThroughSockets: values.sockets,
  }
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) throw new RangeError(`--${name} ${text} is no whole number`)
  return Number(text)
}

function budgetOf(order: Order, target: FuzzTarget): Budget {
  const { seed, input } = order
  if (input !== undefined) return { seed, runs: 1, first: input }
  const begin = performance.now()
  const seconds = order.runs === undefined ? order.seconds / order.targets.length : Infinity
  const end = begin + seconds * 1000
  let next = begin + PROGRESS_MS
  return {
    seed,
    runs: order.runs ?? Number.MAX_SAFE_INTEGER,
    isOver(runs) {
      const now = performance.now()
      if (now >= next) {
        console.log(`${target.name}: ${runs} inputs in ${Math.round((now - begin) / 1000)} s`)
        next = now + PROGRESS_MS
      }
      return now >= end
    },
  }
}

async function fuzz(order: Order): Promise<Verdict> {
  console.log(`seed ${order.seed}, node ${process.version}`)
  if (order.isThroughSockets) return fuzzSockets(order.targets, order, console.log)
  const sum = { passed: 0, failed: 0 }
  for (const target of order.targets) {
    const { passed, failed } = await campaign(target, budgetOf(order, target), console.log)
    sum.passed += passed
    sum.failed += failed
  }
  return sum
}

try {
  const { passed, failed } = await fuzz(readOrder(await allTargets()))
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} catch (error) {
  console.error(`fuzz: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 2
}
