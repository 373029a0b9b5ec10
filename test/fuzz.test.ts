/** The fuzzer itself: it repeats, it finds, it shrinks; and a short hunt over every target. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ByteBuilder, forEachPiece } from './fuzz/engine/bytes.ts'
import { CANARY_RUNS, campaign } from './fuzz/engine/campaign.ts'
import { hunt, type Prey } from './fuzz/engine/hunt.ts'
import { mutate } from './fuzz/engine/mutate.ts'
import { Random, RecordedRandom, ReplayedRandom } from './fuzz/engine/random.ts'
import { shrink } from './fuzz/engine/shrink.ts'
import { Transcript } from './fuzz/engine/transcript.ts'
import type { FuzzTarget } from './fuzz/target.ts'
import { allTargets } from './fuzz/targets.ts'
import { REGISTERED } from './suites/tested.ts'

const SEED = 20110629
const corpus = [Buffer.from('1|6\na:1|m\n'), Buffer.from('1|7\nb:22|h\n')]

suite('the engine', () => {
  test('the same seed gives the same inputs, another seed others', () => {
    const inputs = (seed: number) =>
      Array.from({ length: 50 }, (_, i) => hex(mutate(new Random(seed, i), corpus)))
    assert.deepEqual(inputs(SEED), inputs(SEED))
    assert.notDeepEqual(inputs(SEED), inputs(SEED + 1))
    assert.ok(new Set(inputs(SEED)).size > 40, 'inputs differ from each other')
  })

  test('mutating leaves the seeds as they are', () => {
    const before = corpus.map(hex)
    for (let i = 0; i < 500; i++) mutate(new Random(SEED, i), corpus)
    assert.deepEqual(corpus.map(hex), before)
  })

  test('a hunt stops at the first failure and names input and error', async () => {
    const prey = preyOf(refuse(0x21))
    const { failure } = await hunt(prey, [...corpus, Buffer.from('x!')], { seed: 1, runs: 100 })
    assert.deepEqual([failure?.runs, failure?.index], [3, 2])
    assert.match(String(failure?.error), /refused/)
  })

  test('a repeated hunt fails at the same input, and that input alone fails again', async () => {
    const prey = preyOf(refuse(0xff))
    const first = await hunt(prey, corpus, { seed: SEED, runs: CANARY_RUNS })
    assert.ok(first.failure !== undefined)
    const again = await hunt(prey, corpus, { seed: SEED, runs: first.runs })
    assert.equal(again.failure?.index, first.failure.index)
    const alone = await hunt(prey, corpus, { seed: SEED, runs: 1, first: first.failure.index })
    assert.equal(alone.failure?.runs, 1)
  })

  test('a hunt ends with its budget, of inputs or as the caller says', async () => {
    const prey = preyOf(() => {})
    assert.equal((await hunt(prey, corpus, { seed: 1, runs: 500 })).runs, 500)
    const isOver = (runs: number) => runs >= 128
    assert.equal((await hunt(prey, corpus, { seed: 1, runs: 500, isOver })).runs, 128)
  })

  test('half of the inputs are made from the grammar, and what they mean is checked', async () => {
    let checks = 0
    const generate = () => ({ bytes: corpus[0]!, check: () => void checks++ })
    await hunt({ run() {}, generate }, corpus, { seed: 1, runs: 402 })
    assert.equal(checks, 200)
  })

  test('a row of random numbers can be played again', () => {
    const random = new RecordedRandom(SEED)
    const drawn = [random.below(100), random.pick([7, 8, 9]), random.next()]
    const again = new ReplayedRandom(random.drawn)
    assert.deepEqual([again.below(100), again.pick([7, 8, 9]), again.next()], drawn)
    assert.equal(again.next(), 0)
  })

  test('pieces are all of the bytes in their order, and are gone after the call', () => {
    const bytes = new ByteBuilder().reset(3).u32(0x01020304).text('é').f64(1).bytes
    for (let i = 0; i < 200; i++) {
      const pieces: Uint8Array[] = []
      const copies: Uint8Array[] = []
      forEachPiece(new Random(SEED, i), bytes, (piece) => {
        pieces.push(piece)
        copies.push(piece.slice())
      })
      assert.equal(hex(Buffer.concat(copies)), hex(bytes))
      assert.ok(pieces.every((piece) => piece.every((byte) => byte === 0x55)))
    }
  })

  test('transcripts differ where one says more, less, or something else', () => {
    const row = () => new Transcript().add('line').add(1).add(Number.NaN)
    row().mustEqual(row(), 'the same')
    assert.throws(() => row().add(1n).mustEqual(row(), 'more'), /more/)
    assert.throws(() => row().mustEqual(row().add(null), 'less'), /less/)
    assert.throws(() => row().add(0).mustEqual(row().add(-0), 'else'), /else/)
  })

  test('shrinking keeps what the failure needs and nothing else', () => {
    const fails = (bytes: Uint8Array) => /a.*!.*b/s.test(Buffer.from(bytes).toString('latin1'))
    const noise = Buffer.from(`${'x'.repeat(300)}a${'y'.repeat(77)}!zzzb${'w'.repeat(99)}`)
    assert.equal(Buffer.from(shrink(noise, fails)).toString(), 'a!b')
  })

  test('a failure is reported with seed, shrunk input and the command to repeat it', async () => {
    const lines: string[] = []
    const broken = toyTarget(refuse(0xff), refuse(0x30))
    const verdict = await campaign(broken, { seed: SEED, runs: CANARY_RUNS }, (line) =>
      lines.push(line),
    )
    assert.deepEqual(verdict, { passed: 1, failed: 1 })
    const text = lines.join('\n')
    assert.match(text, /shrunk input, 1 bytes: ff/)
    assert.match(text, new RegExp(`npm run fuzz -- toy --seed ${SEED} --input \\d+`))
  })

  test('a canary that is not found fails the target, however well it holds', async () => {
    const blind = toyTarget(
      () => {},
      () => {},
    )
    const verdict = await campaign(blind, { seed: SEED, runs: 10 }, () => {})
    assert.deepEqual(verdict, { passed: 1, failed: 1 })
  })
})

suite('every target', async () => {
  const targets = await allTargets()
  test('each dialect has a target of its name, so that `npm run fuzz -- NAME` takes these', () => {
    const names = targets.map(({ name }) => name)
    assert.equal(new Set(names).size, names.length)
    for (const { dialect } of REGISTERED) assert.ok(names.includes(dialect.name), dialect.name)
  })

  for (const target of targets) {
    test(`${target.name} holds over 2000 inputs, and its canary is found`, async () => {
      const lines: string[] = []
      const verdict = await campaign(target, { seed: SEED, runs: 2000 }, (line) => lines.push(line))
      assert.deepEqual(verdict, { passed: 2, failed: 0 }, lines.join('\n'))
    })
  }
})

function refuse(byte: number): (bytes: Uint8Array) => void {
  return (bytes) => {
    if (bytes.includes(byte)) throw new Error(`refused ${byte}`)
  }
}

function toyTarget(
  run: (bytes: Uint8Array) => void,
  canary: (bytes: Uint8Array) => void,
): FuzzTarget {
  const { generate } = preyOf(run)
  return {
    name: 'toy',
    seeds: () => corpus,
    generate,
    run,
    canary: { fault: 'planted', run: canary },
  }
}

/** A target whose grammar is one text and a number. */
function preyOf(run: (bytes: Uint8Array) => void): Prey {
  return { run, generate: (random) => ({ bytes: Buffer.from(`1|6\na:${random.below(9)}|m\n`) }) }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
