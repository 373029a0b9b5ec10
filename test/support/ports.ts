/** Ports of a hub of all registered dialects, and how tests ask for free ones instead. */
import { HTTP_PORT, type PortSpec } from '../../src/dialects/options.ts'
import { listenPorts } from '../../src/hub/config/house-options.ts'
import { DIALECTS } from './dialects.ts'

/** That of HTTP first; what a dialect brings of its own comes last. */
export const PORTS: readonly PortSpec[] = [HTTP_PORT, ...listenPorts(DIALECTS)]

/** Options of a hub by which the system chooses every port. */
export const FREE_PORTS: Readonly<Record<string, number>> = portOptions(0)

/** Options of a hub, and the flags of its program, that give one number to every port. */
export function portOptions(number: number): Record<string, number> {
  return Object.fromEntries(PORTS.map(({ name }) => [`${name}Port`, number]))
}

/** The same as flags: `--http-port 0 --text-port 0 …`. */
export function portFlags(number: number): string[] {
  return PORTS.flatMap(({ name }) => [`--${name}-port`, String(number)])
}
