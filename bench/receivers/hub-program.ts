/** The hub of a program of its own: its first argument is options of its config as JSON. */

import { GUESTS } from '../../src/dialects/registry.ts'
import { parseConfig } from '../../src/hub/config/config.ts'
import { Hub } from '../../src/hub/hub.ts'
import type { Clock } from '../../src/time/clock.ts'
import { systemClock } from '../../src/time/system-clock.ts'
import { DIALECTS } from '../../test/support/dialects.ts'
import { FREE_PORTS } from '../../test/support/ports.ts'

/** On ports of the system's choice; warnings and errors go to the standard error. */
export function hubOfProgram(clock: Clock = systemClock): Hub {
  return new Hub({
    config: parseConfig({ ...JSON.parse(process.argv[2]!), ...FREE_PORTS }, DIALECTS),
    clock,
    log: (level, message, facts) => {
      if (level !== 'info') console.error(message, facts ?? '')
    },
    guests: GUESTS,
  })
}
