import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { packSnappy } from '../codec/snappy.ts'
import { bytesOf } from '../test/hub.ts'
import { TestReceiver } from '../test/receiver.ts'
import { requestOf, series, TIME_MS } from '../test/requests.ts'
import { Negotiation, type Sent } from './negotiation.ts'

const MINUTE_MS = 60_000

/** A negotiation with a receiver, whose requests have one sample each. */
class Spoken {
  readonly receiver: TestReceiver
  readonly clock = new FakeClock()
  readonly negotiation: Negotiation
  #sent = 0

  private constructor(receiver: TestReceiver) {
    this.receiver = receiver
    const url = `http://127.0.0.1:${receiver.port}/api/v1/write`
    const signal = new AbortController().signal
    const parts = { clock: this.clock, hurry: signal, signal }
    this.negotiation = new Negotiation({ url, headers: {}, timeoutMs: 10_000 }, parts)
  }

  static async start(t: TestContext): Promise<Spoken> {
    const receiver = await TestReceiver.start()
    t.after(() => receiver.close())
    return new Spoken(receiver)
  }

  send(): Promise<Sent> {
    const one = series('a', this.#sent, TIME_MS + 1000 * this.#sent)
    this.#sent++
    return this.negotiation.send(packSnappy(bytesOf(requestOf([one]))))
  }

  /** Outcomes of so many requests, with the version of those that were taken. */
  async outcomes(count: number): Promise<string[]> {
    const told: string[] = []
    for (let i = 0; i < count; i++) {
      const { outcome } = await this.send()
      told.push(outcome.kind === 'taken' ? `as ${this.negotiation.version}` : outcome.kind)
    }
    return told
  }

  /** Requests of 2.0 so far. */
  get asked(): number {
    return this.receiver.headers.filter((each) => String(each['content-type']).includes('v2'))
      .length
  }
}

suite('a receiver that only fails at 2.0', () => {
  for (const failing of ['broken off', 502, 503, 504] as const) {
    test(`gets 1.0 (${failing}), and is asked less and less often`, async (t) => {
      const spoken = await Spoken.start(t)
      spoken.receiver.version2 = failing
      assert.deepEqual(await spoken.outcomes(4), ['failed', 'failed', 'as 1', 'as 1'])
      for (const minutes of [1, 2, 4]) {
        spoken.clock.advance(minutes * MINUTE_MS - 1)
        assert.deepEqual(await spoken.outcomes(1), ['as 1'])
        spoken.clock.advance(1)
        assert.deepEqual(await spoken.outcomes(2), ['failed', 'as 1'])
      }
      spoken.clock.advance(8 * MINUTE_MS)
      spoken.receiver.version2 = 'taken'
      assert.deepEqual(await spoken.outcomes(2), ['as 2', 'as 2'])
      assert.deepEqual(spoken.receiver.faults, [])
    })
  }

  test('is spoken to in 2.0 all the same where it speaks it', async (t) => {
    const spoken = await Spoken.start(t)
    spoken.receiver.version2 = 'taken'
    assert.deepEqual(await spoken.outcomes(1), ['as 2'])
    spoken.receiver.version2 = 503
    assert.deepEqual(await spoken.outcomes(6), Array(6).fill('failed'))
    spoken.receiver.version2 = 'taken'
    assert.deepEqual(await spoken.outcomes(1), ['as 2'])
    assert.equal(spoken.receiver.taken[1], 0)
  })

  test('and asks for less is not asked in 1.0', async (t) => {
    const spoken = await Spoken.start(t)
    spoken.receiver.version2 = 429
    assert.deepEqual(await spoken.outcomes(5), Array(5).fill('failed'))
    assert.equal(spoken.asked, 5)
  })
})

test('a receiver that has moved keeps what waits, and says where it is', async (t) => {
  const spoken = await Spoken.start(t)
  const headers = { Location: 'https://b:c@there.example/push?token=1' }
  spoken.receiver.answers.push({ status: 308, headers })
  const { outcome } = await spoken.send()
  assert.equal(outcome.kind, 'failed')
  assert.ok(outcome.kind === 'failed')
  assert.equal(outcome.cause, 'status 308')
  assert.equal(outcome.hint, 'it has moved: give the address https://there.example/push')
  spoken.receiver.answers.push({ status: 307, headers: { Location: '/other' } })
  const again = await spoken.send()
  assert.ok(again.outcome.kind === 'failed')
  assert.match(again.outcome.hint, /^it has moved: give the address http:\/\/127.0.0.1:\d+\/other$/)
})

test('a receiver may ask for an hour at most', async (t) => {
  const spoken = await Spoken.start(t)
  for (const asked of ['999999999', 'Fri, 31 Dec 2099 23:59:59 GMT']) {
    spoken.receiver.answers.push({ status: 429, headers: { 'Retry-After': asked } })
    const { outcome } = await spoken.send()
    assert.ok(outcome.kind === 'failed')
    assert.equal(outcome.retryAfterMs, 60 * MINUTE_MS)
  }
})
