import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { until } from '../../../../test/support/hub/hub.ts'
import type { Rest } from '../../../dialects/endpoints.ts'
import type { Budget } from '../../../time/budget.ts'
import { DatagramTurns } from './datagram-turns.ts'

const UNPACKED_BYTES = 1_000_000

/**
 * A socket's datagrams, of which each text is what it is: `1` takes no time, `9` is unpacked and
 * then takes 9 ms in parts of 1 ms.
 */
class Fixture {
  readonly clock = new FakeClock()
  readonly taken: string[] = []
  readonly dropped: string[] = []
  isHeld = false
  holds = 0
  unpackedMost = 0
  #unpacked = 0
  readonly turns = new DatagramTurns(this.clock, {
    take: (bytes, address, _port, budget) =>
      this.#take(Number(Buffer.from(bytes)), address, budget),
    hold: () => {
      this.isHeld = true
      this.holds++
    },
    release: () => {
      this.isHeld = false
    },
    drop: (reason) => this.dropped.push(reason),
  })

  send(text: string, address: string): void {
    this.turns.receive(Buffer.from(text), address, 9)
  }

  #take(parts: number, address: string, budget: Budget): Rest | undefined {
    if (parts < 2) {
      this.taken.push(address)
      return undefined
    }
    let left = parts
    let isUnpacked = false
    const goOn = (): void => {
      if (!isUnpacked && budget.isSpent) return
      if (!isUnpacked) this.#count(1)
      isUnpacked = true
      do {
        this.clock.pass(1)
        left--
      } while (left > 0 && !budget.isSpent)
      if (left > 0) return
      this.#count(-1)
      this.taken.push(`${address} ${parts}`)
    }
    goOn()
    return {
      goOn,
      get hasRest() {
        return left > 0
      },
      get bytesHeld() {
        return isUnpacked ? UNPACKED_BYTES : 100
      },
    }
  }

  #count(change: number): void {
    this.#unpacked += change
    this.unpackedMost = Math.max(this.unpackedMost, this.#unpacked)
  }
}

suite('datagrams in turns', () => {
  test('are taken at once while there is time', () => {
    const { turns, taken, dropped } = new Fixture()
    for (let i = 0; i < 1000; i++) turns.receive(Buffer.from('1'), '10.0.0.1', i)
    assert.deepEqual([taken.length, turns.hasWaiting, dropped], [1000, false, []])
  })

  test('that are long wait aside, others of their address behind them', async () => {
    const fixture = new Fixture()
    const { taken } = fixture
    fixture.send('30', '10.0.0.1')
    assert.ok(fixture.isHeld)
    await until(() => !fixture.isHeld)
    for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.1']) fixture.send('1', address)
    assert.deepEqual(taken, ['10.0.0.2'])
    assert.ok(fixture.turns.isBehind('10.0.0.1') && !fixture.turns.isBehind('10.0.0.2'))
    await until(() => !fixture.turns.hasWaiting)
    assert.deepEqual(taken, ['10.0.0.2', '10.0.0.1 30', '10.0.0.1', '10.0.0.1'])
    assert.equal(fixture.turns.bytesWaiting, 0)
  })

  test('of two addresses that wait are taken by turns', async () => {
    const fixture = new Fixture()
    fixture.send('9', '10.0.0.1')
    for (let i = 0; i < 50; i++) fixture.send('9', '10.0.0.1')
    for (const _ of [1, 2, 3]) fixture.send('1', '10.0.0.2')
    await until(() => fixture.taken.includes('10.0.0.2'))
    await until(() => fixture.taken.filter((each) => each === '10.0.0.2').length === 3)
    const before = fixture.taken.filter((each) => each !== '10.0.0.2').length
    assert.ok(before <= 3, `${before} of the other`)
    await until(() => !fixture.turns.hasWaiting)
    assert.equal(fixture.taken.length, 54)
  })

  test('that come have time, however long the thread was kept from them since others', async () => {
    const fixture = new Fixture()
    fixture.send('90', '10.0.0.1')
    // the half of a turn that is for what waits has gone by when the socket may read again
    await until(() => !fixture.isHeld)
    assert.ok(fixture.turns.hasWaiting)
    fixture.clock.pass(20)
    assert.equal(fixture.turns.isSpent, false)
    fixture.send('1', '10.0.0.2')
    assert.deepEqual(fixture.taken, ['10.0.0.2'])
    fixture.clock.pass(4)
    assert.equal(fixture.turns.isSpent, true)
  })

  test('of so many addresses are not unpacked all at once', async () => {
    const fixture = new Fixture()
    for (let i = 0; i < 100; i++) {
      fixture.send('20', `10.0.1.${i}`)
      await until(() => !fixture.isHeld)
    }
    await until(() => !fixture.turns.hasWaiting)
    assert.equal(fixture.taken.length, 100)
    assert.ok(fixture.unpackedMost <= 6, `${fixture.unpackedMost} at once`)
  })

  test('wait within limits of bytes, and are dropped and counted beyond', () => {
    const fixture = new Fixture()
    fixture.send('20', '10.0.0.1')
    const large = '1'.padStart(60_000, '0')
    for (let i = 0; i < 20; i++) fixture.send(large, '10.0.0.1')
    assert.deepEqual(fixture.dropped, new Array(3).fill('waiting_bytes_per_address'))
    for (let i = 0; i < 100; i++) fixture.send(large, `10.0.2.${i}`)
    const ofAll = fixture.dropped.filter((reason) => reason === 'waiting_bytes').length
    assert.equal(ofAll, 100 - Math.floor((4_194_304 - 256 - 17 * 60_256) / 60_256))
    fixture.turns.stop()
    assert.equal(fixture.turns.bytesWaiting, 0)
  })
})
