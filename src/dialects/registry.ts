/** The dialects of the registry as a list, in the order in which people see them. */
import type { Guest } from './guest.ts'
import * as registered from './index.ts'
import { HTTP_PORT, type PortSpec, STREAM_PORT, TEXT_PORT } from './options.ts'

/** Ports in the order of the list; dialects of a port of their own and of none come last. */
const PORTS: readonly (PortSpec | undefined)[] = [TEXT_PORT, STREAM_PORT, HTTP_PORT]

/** Guests by the port that they share, those of one port by name. */
export const GUESTS: readonly Guest[] = inOrder(Object.values(registered))

function inOrder(guests: readonly Guest[]): Guest[] {
  const place = ({ dialect }: Guest): number => {
    const port = PORTS.indexOf(dialect.port)
    return port === -1 ? PORTS.length : port
  }
  return [...guests].sort(
    (a, b) => place(a) - place(b) || (a.dialect.name < b.dialect.name ? -1 : 1),
  )
}
