/**
 * Streams of workers by both paths, JavaScript alone and the module that takes usual frames in
 * memory (usual-frames.as.ts): two connections that have their reads by turns, cut at the same
 * places, again and again, so that series are known. After every read both have as many frames and
 * hold as many bytes of the next one; in the end all that a hub tells is the same, errors with
 * their bytes included.
 */
import assert from 'node:assert/strict'
import { forEachPiece } from '../../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../../test/fuzz/engine/random.ts'
import type { FuzzTarget } from '../../../../../test/fuzz/target.ts'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import type { Budget } from '../../../../time/budget.ts'
import { TwinHub } from '../twin-hubs.ts'
import { LIMIT, WorkerStream } from './grammar.ts'

const SETTINGS = [
  { maxFrameBytes: LIMIT },
  { maxFrameBytes: LIMIT, windowBytesLimit: 8192, seriesLimit: 2 },
  // some usual frames are longer
  { maxFrameBytes: 645, windowBytesLimit: 4096 },
]
/** Rounds of the same input; what was joined in one is so in the next, unless connections end. */
const ROUNDS = 3
/** Wall time, ms, a little behind the end of the usual windows. */
const START_MS = 1_700_000_003_000
/** What is made of windows is asked for with one input in so many: it costs the most. */
const VIEWS_ONCE_IN = 8

type Step =
  | { readonly to: number; readonly start: number; readonly end: number; readonly isHere: boolean }
  | { readonly passes: number }
  | { readonly ends: number }

function drawSteps(random: Random, size: number): Step[] {
  const steps: Step[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const reads = [0, 1].map((to) => (to === 0 || random.isOnceIn(3) ? cuts(random, size) : []))
    const waiting = () => reads.filter(({ length }) => length > 0)
    for (let left = waiting(); left.length > 0; left = waiting()) {
      const queue = random.pick(left)
      const [start, end] = queue.shift()!
      steps.push({ to: reads.indexOf(queue), start, end, isHere: random.isOnceIn(2) })
    }
    if (random.isOnceIn(3)) steps.push({ passes: random.pick([100, 2000, 61_000, 130_000]) })
    if (random.isOnceIn(4)) steps.push({ ends: random.below(2) })
  }
  return steps
}

function cuts(random: Random, size: number): (readonly [start: number, end: number])[] {
  const pieces: [number, number][] = []
  let at = 0
  forEachPiece(random, new Uint8Array(size), ({ length }) => {
    if (length > 0) pieces.push([at, at + length])
    at += length
  })
  return pieces
}

/** Turns that are over at every look. */
const OVER: Budget = { isSpent: true }

function check(bytes: Uint8Array, random: Random, limitOfModule = 0): void {
  const settings = random.pick(SETTINGS)
  const steps = drawSteps(random, bytes.length)
  const turns = random.isOnceIn(2) ? { budget: OVER } : {}
  const clock = new FakeClock(START_MS)
  const plain = new TwinHub({ ...settings, ...turns, clock, hasModule: false })
  const maxFrameBytes = settings.maxFrameBytes + limitOfModule
  const quick = new TwinHub({ ...settings, ...turns, clock, maxFrameBytes, hasModule: true })
  const hubs = [quick, plain]
  const open = () => hubs.map((hub) => hub.open())[0]!
  const connections = [open(), open()]
  for (const step of steps) {
    if ('passes' in step) {
      clock.advance(step.passes)
      for (const hub of hubs) hub.tick()
    } else if ('ends' in step) {
      for (const hub of hubs) hub.end(connections[step.ends]!)
      connections[step.ends] = open()
    } else {
      const number = connections[step.to]!
      const [ours, expected] = hubs.map((hub) => {
        const piece = bytes.slice(step.start, step.end)
        hub.read(number, piece, step.isHere)
        piece.fill(0x55)
        return hub.progress(number)
      })
      assert.deepEqual(ours, expected, `progress up to byte ${step.end}`)
    }
  }
  for (const hub of hubs) {
    for (const number of connections) hub.end(number)
    hub.tick()
  }
  const hasViews = random.isOnceIn(VIEWS_ONCE_IN)
  const [ours, expected] = hubs.map((hub) => hub.told(hasViews))
  if (ours !== expected) mustBeSame(ours!.split('\n'), expected!.split('\n'))
}

/** Shows the first line that differs, and the ones before, which say what it is of. */
function mustBeSame(ours: readonly string[], expected: readonly string[]): void {
  const differing = ours.findIndex((line, i) => line !== expected[i])
  const at = differing < 0 ? ours.length : differing
  const part = (lines: readonly string[]) => lines.slice(Math.max(at - 12, 0), at + 3)
  assert.deepEqual(part(ours), part(expected), 'told by the module and without it')
}

const stream = new WorkerStream(true)

export function pathsTarget(seeds: FuzzTarget['seeds']): FuzzTarget {
  return {
    name: 'wallaroo-paths',
    seeds,
    generate(random) {
      stream.make(random)
      return { bytes: stream.out.bytes }
    },
    run: (bytes, random) => check(bytes, random),
    canary: {
      fault: 'limit of a frame off by one',
      run: (bytes, random) => check(bytes, random, 1),
    },
  }
}
