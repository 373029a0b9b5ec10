/** The fuzzer itself: it repeats, it finds, it shrinks; and a short hunt over every target. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CANARY_RUNS, campaign } from './fuzz/engine/campaign.ts'
import { hunt } from './fuzz/engine/hunt.ts'
import { mutate } from './fuzz/engine/mutate.ts'
import { Random } from './fuzz/engine/random.ts'
import { shrink } from './fuzz/engine/shrink.ts'
import type { FuzzTarget } from './fuzz/target.ts'
import { REGISTERED, targetOf } from './suites/tested.ts'

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

  test('a hunt stops at the first failure and names input and error', () => {
    const { failure } = hunt(refuse(0x21), [...corpus, Buffer.from('x!')], { seed: 1, runs: 100 })
    assert.equal(failure?.runs, 3)
    assert.equal(hex(failure!.bytes), '7821')
    assert.match(String(failure?.error), /refused/)
  })

  test('a repeated hunt fails at the same input', () => {
    const first = hunt(refuse(0xff), corpus, { seed: SEED, runs: CANARY_RUNS })
    assert.ok(first.failure !== undefined)
    const again = hunt(refuse(0xff), corpus, { seed: SEED, runs: first.runs })
    assert.equal(hex(again.failure!.bytes), hex(first.failure.bytes))
  })

  test('a hunt ends with its budget, of inputs or as the caller says', () => {
    const nothing = () => {}
    assert.equal(hunt(nothing, corpus, { seed: 1, runs: 500 }).runs, 500)
    const isOver = (runs: number) => runs >= 128
    assert.equal(hunt(nothing, corpus, { seed: 1, runs: 500, isOver }).runs, 128)
  })

  test('shrinking keeps what the failure needs and nothing else', () => {
    const fails = (bytes: Uint8Array) => /a.*!.*b/s.test(Buffer.from(bytes).toString('latin1'))
    const noise = Buffer.from(`${'x'.repeat(300)}a${'y'.repeat(77)}!zzzb${'w'.repeat(99)}`)
    assert.equal(Buffer.from(shrink(noise, fails)).toString(), 'a!b')
  })

  test('a failure is reported with its seed, the shrunk input and the command to repeat it', () => {
    const lines: string[] = []
    const broken = toyTarget(refuse(0xff), refuse(0x30))
    const verdict = campaign(broken, { seed: SEED, runs: CANARY_RUNS }, (line) => lines.push(line))
    assert.deepEqual(verdict, { passed: 1, failed: 1 })
    const text = lines.join('\n')
    assert.match(text, /shrunk input, 1 bytes: ff/)
    assert.match(text, new RegExp(`npm run fuzz -- toy --seed ${SEED} --runs \\d+`))
  })

  test('a canary that is not found fails the target, however well it holds', () => {
    const blind = toyTarget(
      () => {},
      () => {},
    )
    const verdict = campaign(blind, { seed: SEED, runs: 10 }, () => {})
    assert.deepEqual(verdict, { passed: 1, failed: 1 })
  })
})

suite('every target', async () => {
  const targets = await Promise.all(REGISTERED.map(targetOf))
  test('targets are called as their dialects, so that `npm run fuzz -- NAME` takes these', () => {
    const names = REGISTERED.map(({ dialect }) => dialect.name)
    assert.deepEqual(
      targets.map(({ name }) => name),
      names,
    )
  })

  for (const target of targets) {
    test(`${target.name} holds over 3000 inputs, and its canary is found`, () => {
      const lines: string[] = []
      const verdict = campaign(target, { seed: SEED, runs: 3000 }, (line) => lines.push(line))
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
  return { name: 'toy', seeds: () => corpus, run, canary: { fault: 'planted', run: canary } }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
