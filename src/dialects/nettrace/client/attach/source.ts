/** Processes of .NET into the hub: those of one address, found by their sockets or dialling in. */
import type { Source, SourceContext, Target } from '../../../endpoints.ts'
import type { ValuesOf } from '../../../options.ts'
import type { CLIENT_OPTIONS } from '../../options.ts'
import { type CounterRequest, parseProviders } from '../counters/providers.ts'
import type { ProcessPlaces } from '../processes.ts'
import { type ProcessAddress, parseProcessAddress } from './address.ts'
import { ProcessClaims } from './claims.ts'
import { DiagnosticPort } from './diagnostic-port.ts'
import { Follower } from './follower.ts'

/** Provider that every program has, for an address that names none. */
const USUAL_PROVIDERS = ['System.Runtime']

/**
 * Follows the processes of an address until closed.
 * @param places folders of sockets and processes; those of the system unless given
 * @throws {TypeError} for an address that makes no sense
 */
export function connectSource(
  target: Target,
  context: SourceContext,
  places?: ProcessPlaces,
): Source {
  const address = addressOf(target)
  const options = context.options.client as ValuesOf<typeof CLIENT_OPTIONS>
  const { choice, name } = address
  const parts = {
    ...{ context, request: requestOf(address, options), processesLimit: options.processesLimit },
    claims: context.shared(() => new ProcessClaims()),
  }
  if (choice.kind === 'port') {
    return new DiagnosticPort({ ...parts, path: choice.path, name, keepsLast: false })
  }
  const keepsLast = choice.kind === 'pid' || !choice.pattern.includes('*')
  return new Follower({ ...parts, address, keepsLast, ...(places === undefined ? {} : { places }) })
}

/**
 * Tells whether both addresses choose the same processes. Others may share some: each process is
 * read from once, by the address that finds it first.
 */
export function sharesSeries(one: Target, other: Target): boolean {
  return addressOf(one).name === addressOf(other).name
}

function addressOf({ url = '' }: Target): ProcessAddress {
  return parseProcessAddress(url)
}

function requestOf(
  { asked }: ProcessAddress,
  options: ValuesOf<typeof CLIENT_OPTIONS>,
): CounterRequest {
  const { providers, intervalMs, intervals, maxTimeSeries, maxHistograms } = options
  const named = asked.providers ?? providers
  const request = {
    ...{ intervalMs, intervals, maxTimeSeries, maxHistograms },
    ...asked,
    providers: named.length === 0 ? USUAL_PROVIDERS : named,
  }
  parseProviders(request.providers)
  return request
}
