/**
 * What hostile peers do to a hub, each for as long as it is told to. Almost every attack comes from
 * an address of its own on loopback, so that limits by address are seen to hold for it alone.
 */
import { ANSWER_ATTACKS } from './attacks/answers.ts'
import { CONNECTION_ATTACKS } from './attacks/connections.ts'
import { NAME_ATTACKS } from './attacks/names.ts'
import { PLACE_ATTACKS } from './attacks/places.ts'
import { PUSH_ATTACKS } from './attacks/pushes.ts'
import { REQUEST_ATTACKS } from './attacks/requests.ts'
import type { Attack } from './crowd.ts'

/** What comes later meets as many series as the first one could bring. */
export const ATTACKS: readonly Attack[] = [
  ...NAME_ATTACKS,
  ...ANSWER_ATTACKS,
  ...REQUEST_ATTACKS,
  ...CONNECTION_ATTACKS,
  ...PLACE_ATTACKS,
  ...PUSH_ATTACKS,
]
