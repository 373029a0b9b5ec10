/**
 * Options as a file or the command line gives them (src/hub/config): of any value only a
 * ConfigError comes, and of an address that the grammar made the parts are its own. An input is
 * JSON, or else the text of an address.
 */
import assert from 'node:assert/strict'
import { parseConfig } from '../../../src/hub/config/config.ts'
import { parseTarget } from '../../../src/hub/config/target.ts'
import { ConfigError } from '../../../src/hub/config/values.ts'
import { DIALECTS } from '../../support/dialects.ts'
import type { Random } from '../engine/random.ts'
import { double, text, unsigned } from '../engine/values.ts'
import type { FuzzTarget } from '../target.ts'

/**
 * Options are parsed for one input in so many: each time a schema is made of all of them, as at the
 * start of a hub. No peer reaches them.
 */
const CONFIG_ONCE_IN = 256
const NAMES = Object.keys(parseConfig({}, DIALECTS))
const HOSTS = ['localhost', '127.0.0.1', '[::1]', 'a.b-c', '10.0.0.7']

/** A value of any type, now and then a section. */
function value(random: Random, depth = 0): unknown {
  switch (random.below(depth < 2 ? 8 : 6)) {
    case 0:
      return Number(unsigned(random, 40))
    case 1:
      return double(random)
    case 2:
      return text(random)
    case 3:
      return random.pick([true, false, null, 'auto', ''])
    case 4:
      return random.pick(['statshero+udp://127.0.0.1:8125', 'scope://a:1', 'http://x'])
    case 5:
      return []
    case 6:
      return [value(random, depth + 1), value(random, depth + 1)]
    default:
      return { [random.pick([...NAMES, 'maxFrameBytes', 'profile'])]: value(random, depth + 1) }
  }
}

function check(
  bytes: Uint8Array,
  isParsed: boolean,
  parse: (options: unknown) => unknown = (given) => parseConfig(given, DIALECTS),
): void {
  const given = Buffer.from(bytes).toString()
  let options: unknown = given
  try {
    options = JSON.parse(given)
  } catch {
    // an address, then
  }
  for (const act of [() => isParsed && parse(options), () => parseTarget(given, DIALECTS)]) {
    try {
      act()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      assert.ok(error.problems.length > 0)
    }
  }
}

export const options: FuzzTarget = {
  name: 'options',
  seeds: () =>
    ['{}', '{"seriesLimit":0}', 'statshero+udp://10.0.0.7:8125', 'http://[::1]:80/a?b'].map(
      (each) => Buffer.from(each),
    ),

  generate(random) {
    if (random.isOnceIn(3)) return makeAddress(random)
    const made = Array.from({ length: random.below(3) }, () => [random.pick(NAMES), value(random)])
    return { bytes: Buffer.from(JSON.stringify(Object.fromEntries(made))) }
  },

  run: (bytes, random) => check(bytes, random.isOnceIn(CONFIG_ONCE_IN)),

  canary: {
    fault: 'an option that is null is thought impossible',
    run: (bytes) =>
      check(bytes, true, (given) => {
        if (Object.values(given ?? {}).includes(null)) throw new TypeError('null')
      }),
  },
}

function makeAddress(random: Random) {
  const host = random.pick(HOSTS)
  const port = random.isOnceIn(6) ? random.below(100_000) : 1 + random.below(65_535)
  const transport = random.pick(['', '+udp', '+tcp'])
  const url = `statshero${transport}://${host}:${port}${random.pick(['', '/'])}`
  const bytes = Buffer.from(url)
  if (port < 1 || port > 65_535) return { bytes }
  const wanted = {
    transport: transport === '+tcp' ? 'tcp' : 'udp',
    host: host.replace(/[[\]]/g, ''),
    port,
  }
  return { bytes, check: () => assert.deepEqual(parseTarget(url, DIALECTS).target, wanted) }
}
