/** Names of counters in Prometheus as the exposition gets them: families, and powers of ten. */
import { counterFamilies } from '../export-rules.ts'

export interface NamedCounter {
  readonly provider: string
  readonly name: string
  readonly units: string
  readonly kind: 'mean' | 'sum'
}

/** The first family of a counter, and what its values are multiplied by. */
export function prometheusName(
  { provider, name, units, kind }: NamedCounter,
  naming: 'standard' | 'dotnet-monitor',
): { readonly name: string; readonly factor: number; readonly type: string } {
  const { families, shift } = counterFamilies(
    { name, kind: kind === 'sum' ? 'counter' : 'summary', labels: [['provider', provider]] },
    { dialect: 'eventcounters', unit: units },
    naming,
  )
  const { family, type } = families[0]!
  // the exposition puts the ending of counters there
  return {
    name: type === 'counter' ? `${family}_total` : family,
    factor: Number(`1e${-shift!}`),
    type,
  }
}
