/**
 * Addresses of receivers: `remotewrite+http://HOST[:PORT][/PATH][?QUERY]`. `hub` and `histograms`
 * behind `?` are ours and win over the configuration; all else is asked of the receiver.
 */
import type { Target } from '../../endpoints.ts'
import { PATH, SCHEME_PREFIX } from '../spec.ts'
import type { HistogramForm } from './emitted-series.ts'

export interface WriteAddress {
  readonly url: string
  readonly hub?: string
  readonly histograms?: HistogramForm
}

const FORMS: readonly string[] = ['classic', 'native', 'both'] satisfies HistogramForm[]

/** @throws {TypeError} that says what is wanted */
export function writeAddress({ url: given = '' }: Target): WriteAddress {
  const url = new URL(given.slice(SCHEME_PREFIX.length))
  const hub = url.searchParams.get('hub')
  const histograms = url.searchParams.get('histograms')
  if (hub === '') throw new TypeError('hub is empty, want the name of this hub')
  if (histograms !== null && !FORMS.includes(histograms)) {
    throw new TypeError(`histograms ${histograms}, want ${FORMS.join(', ')}`)
  }
  url.searchParams.delete('hub')
  url.searchParams.delete('histograms')
  if (url.pathname === '/') url.pathname = PATH
  return {
    url: url.href,
    ...(hub === null ? {} : { hub }),
    ...(histograms === null ? {} : { histograms: histograms as HistogramForm }),
  }
}
