/**
 * Which dialect first bytes belong to (src/hub/listen/dispatch.ts): the same however they are cut.
 * Once decided, more bytes decide the same, and the end of the bytes decides everything.
 */
import assert from 'node:assert/strict'
import { chooseDialect } from '../../../src/hub/listen/dispatch.ts'
import { DIALECTS } from '../../support/dialects.ts'
import { ByteBuilder } from '../engine/bytes.ts'
import { nameBytes } from '../engine/values.ts'
import type { FuzzTarget } from '../target.ts'

const PREFIX_MAX = 80
const PORTS = Map.groupBy(DIALECTS, ({ port }) => port?.name)
const out = new ByteBuilder()

type Choose = typeof chooseDialect

function check(bytes: Uint8Array, choose: Choose): void {
  for (const dialects of PORTS.values()) {
    let decided: string | null | undefined
    for (let size = 0; size <= Math.min(bytes.length, PREFIX_MAX); size++) {
      const first = bytes.subarray(0, size)
      const dialect = choose(dialects, first, false)
      const name = dialect === null ? null : dialect?.name
      if (decided !== undefined) assert.equal(name, decided, `after ${size} bytes`)
      decided = name
      assert.notEqual(choose(dialects, first, true), undefined, 'undecided at the end')
    }
  }
}

export const dispatch: FuzzTarget = {
  name: 'dispatch',
  seeds: () =>
    [
      [0x31, 0x7c],
      [0, 0, 0, 1, 1],
      [1, 0],
      [0x81, 0xb1],
      [25, 0, 0, 0, 0x81],
    ].map((each) => Uint8Array.from(each)),

  generate(random) {
    out.reset(random.below(4))
    const way = random.below(6)
    if (way === 0) out.text(random.pick(['1|', '1', '|', '2|', '!c ']))
    else if (way === 1) out.u32(random.pick([1, 5, 25, random.below(70_000), random.next()]))
    else if (way === 2) out.u32(random.pick([1, 5, 25, random.below(70_000)]), true)
    else if (way === 3) out.u8(0x80 + random.below(32))
    else if (way === 4) out.u8(0xdc + random.below(4)).u16(random.below(9))
    for (let left = random.below(5); left > 0; left--) out.u8(random.below(256))
    out.raw(nameBytes(random))
    return { bytes: out.bytes }
  },

  run: (bytes) => check(bytes, chooseDialect),

  canary: {
    fault: 'a dialect that waits counts as a no',
    run: (bytes) => check(bytes, (dialects, first) => chooseDialect(dialects, first, true)),
  },
}
