/**
 * A dialect as a guest of the house: its protocol, and what else it brings. One line in `index.ts`
 * registers it; the house finds everything of a dialect here and knows none by name.
 */
import type { HubGuest } from '../hub/resident.ts'

export interface Guest extends HubGuest {}
